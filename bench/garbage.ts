import { Agent, request } from "node:http";
import { median, report } from "./figures.ts";
import { BENCH_KEY, closeLoad, startServer, usageOf } from "./http-load.ts";
import { startModelProcess } from "./model-process.ts";

/** How fast the API server refuses what is no request, and that it keeps nothing of it. */
const EACH = 400;
const ROUNDS = 5;

await using model = await startModelProcess(["--tokens", "1"]);
await using server = await startServer("http-server", model.baseUrl);
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

interface Garbage {
  readonly body: string | Buffer;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const deep = (levels: number): string => `{"messages":${"[".repeat(levels)}${"]".repeat(levels)}}`;
const said = (content: unknown): string => JSON.stringify({ messages: [{ role: "user", content }] });

const KINDS: Readonly<Record<string, Garbage>> = {
  "no JSON": { body: '{"messages": [', status: 400 },
  "bad UTF-8": { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), status: 400 },
  "a million levels": { body: "[".repeat(1_000_000), status: 400 },
  "65 levels": { body: deep(64), status: 400 },
  "a key twice": { body: '{"stream":true,"stream":false,"messages":[]}', status: 400 },
  "an own __proto__": { body: '{"__proto__":{"messages":[1]}}', status: 400 },
  "wrong types": { body: '{"messages":{"0":1},"model":[]}', status: 400 },
  "a part of no kind": { body: said([{ type: "audio" }]), status: 400 },
  "9 MB of spaces": { body: " ".repeat(9_000_000), status: 400 },
  "11 MB": { body: "", status: 413, headers: { "content-length": "11000000" } },
  "a key that is not ASCII": { body: "{}", status: 401, headers: { authorization: "Bearer schlüssel" } },
};

/** Milliseconds until a body is refused. */
async function refused({ body, status, headers }: Garbage): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const started = performance.now();
  const length = String(Buffer.byteLength(body));
  const call = request(`${server.url}/v1/chat/completions`, {
    method: "POST",
    agent,
    headers: { authorization: `Bearer ${BENCH_KEY}`, "content-length": length, ...headers },
  });
  call.on("response", (answer) => {
    if (answer.statusCode !== status) reject(new Error(`answered ${answer.statusCode}`));
    answer.resume().on("end", () => resolve(performance.now() - started));
  });
  call.on("error", reject);
  if (headers?.["content-length"] === undefined) call.end(body);
  else call.flushHeaders();
  const took = await promise;
  call.destroy();
  return took;
}

const times = new Map<string, number[]>(Object.keys(KINDS).map((name) => [name, []]));
const sizes: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, garbage] of Object.entries(KINDS)) {
    const many = garbage.body.length > 1_000_000 ? EACH / 20 : EACH / ROUNDS;
    for (let n = 0; n < many; n += 1) times.get(name)?.push(await refused(garbage));
  }
  sizes.push((await usageOf(server.url)).rss / 1e6);
}
for (const [name, took] of times) {
  const sorted = took.toSorted((a, b) => a - b);
  report(`${name}, median`, median(sorted), { unit: "ms" });
  report("... p99", sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN, { unit: "ms" });
}
const [first = 0] = sizes;
report("RSS after the last round, beside the first", sizes.at(-1) ?? 0, { unit: "MB", floor: first });
agent.destroy();
closeLoad();
