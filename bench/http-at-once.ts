import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { median, percentile, report } from "./figures.ts";
import { benchHome } from "./gateway-process.ts";
import { BENCH_KEY } from "./http-load.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/** 200 streamed chats at once over HTTP, 200 tokens each, one in 10 ms; none may be refused. */
const CHATS = 200;
const TOKENS = 200;
const PACE_MS = 10;
const ROUNDS = 3;
const IDEAL_MS = (TOKENS - 1) * PACE_MS;

const body = JSON.stringify({ model: "agent", stream: true, messages: [{ role: "user", content: "hi" }] });
const headers = {
  authorization: `Bearer ${BENCH_KEY}`,
  "content-type": "application/json",
  "content-length": Buffer.byteLength(body),
};

/** The status of a chat, the milliseconds to its first text, and whether all of it came. */
interface Chat {
  readonly status: number;
  readonly first: number;
  readonly isWhole: boolean;
}

function chat(url: string, agent: Agent): Promise<Chat> {
  const { promise, resolve, reject } = Promise.withResolvers<Chat>();
  const started = performance.now();
  request(`${url}/v1/chat/completions`, { method: "POST", agent, headers }, (answer) => {
    let first = 0;
    let text = "";
    answer.setEncoding("utf8").on("data", (piece: string) => {
      if (first === 0 && piece.includes('"content":"')) first = performance.now() - started;
      text += piece;
    });
    answer.on("end", () => {
      const isWhole = text.includes("[DONE]");
      resolve({ status: answer.statusCode ?? 0, first, isWhole });
    });
  })
    .on("error", reject)
    .end(body);
  return promise;
}

interface AtOnce {
  readonly wall: number;
  readonly first: number;
  readonly refused: number;
}

async function atOnce(url: string): Promise<AtOnce> {
  const agent = new Agent({ keepAlive: true });
  const started = performance.now();
  const chats = await Promise.all(Array.from({ length: CHATS }, () => chat(url, agent)));
  const wall = performance.now() - started;
  agent.destroy();
  const good = chats.filter(({ status, isWhole }) => status === 200 && isWhole);
  const first = percentile(
    good.map(({ first }) => first),
    0.99,
  );
  return { wall, first, refused: CHATS - good.length };
}

async function measure(url: string): Promise<AtOnce> {
  const rounds: AtOnce[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await atOnce(url));
  return {
    wall: median(rounds.map(({ wall }) => wall)),
    first: median(rounds.map(({ first }) => first)),
    refused: Math.max(...rounds.map(({ refused }) => refused)),
  };
}

await using model = await startModelProcess([
  "--tokens",
  String(TOKENS),
  "--writes",
  String(TOKENS),
  "--pace",
  String(PACE_MS),
]);
using home = benchHome(
  model.baseUrl,
  "  context_length: 100000000\nplatforms:\n  api_server:\n    enabled: true\n    extra: {port: 0}\n",
);
const gateway = home.agent("gateway");
const address = Promise.withResolvers<string>();
createInterface({ input: gateway.stderr }).on("line", (line) => {
  const url = /API server on (http:\S+)\/v1/.exec(line)?.[1];
  if (url !== undefined) address.resolve(url);
});
const bare = spawn(process.execPath, [plainProgram("http"), model.baseUrl], {
  stdio: ["pipe", "pipe", "inherit"],
});
const [bareUrl] = (await once(createInterface({ input: bare.stdout }), "line")) as [string];

const floor = await measure(bareUrl);
const ours = await measure(await address.promise);
report(`${CHATS} chats at once, HTTP: refused`, ours.refused, { unit: "", goal: { value: 0 } });
report(`${CHATS} chats at once, HTTP: wall / ideal`, ours.wall / IDEAL_MS, {
  unit: "",
  floor: floor.wall / IDEAL_MS,
  goal: { value: 1.05 },
});
report(`${CHATS} chats at once, HTTP: first token p99`, ours.first, {
  unit: "ms",
  floor: floor.first,
  goal: { ratio: 1.5 },
});
bare.stdin.end();
gateway.kill("SIGTERM");
await once(gateway, "close");
