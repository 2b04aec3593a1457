import { createInterface } from "node:readline";
import { median, report } from "./figures.ts";
import { benchHome } from "./gateway-process.ts";
import { startModelProcess } from "./model-process.ts";

/** Many prompts at once on one stdio connection, a session each: when the first text of each of them comes. */
const PROMPTS = Number(process.argv[2] ?? 200);
const ROUNDS = Number(process.argv[3] ?? 5);

interface Frame {
  readonly id?: string;
  readonly params?: { readonly type: string; readonly session_id: string };
}

await using model = await startModelProcess(["--tokens", "20", "--writes", "20"]);
using home = benchHome(model.baseUrl);
const agent = home.agent("rpc");
let onFrame: (frame: Frame) => void = () => undefined;
createInterface({ input: agent.stdout }).on("line", (line) => onFrame(JSON.parse(line) as Frame));

/** Sends one request for each session in one write, and waits until each has what it waits for. */
async function burst(
  request: (session_id: string) => object,
  isDone: (frame: Frame) => string | undefined,
): Promise<number[]> {
  const done = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  const started = performance.now();
  onFrame = (frame) => {
    const session = isDone(frame);
    if (session === undefined || done.has(session)) return;
    done.set(session, performance.now() - started);
    if (done.size === PROMPTS) all.resolve();
  };
  const lines = Array.from({ length: PROMPTS }, (_, index) => JSON.stringify(request(`s${index}`)));
  agent.stdin.write(`${lines.join("\n")}\n`);
  await all.promise;
  return [...done.values()].toSorted((a, b) => a - b);
}

await burst(
  (session_id) => ({ id: session_id, method: "session.create", params: { session_id } }),
  ({ id }) => id,
);
const firsts: number[] = [];
const medians: number[] = [];
const lasts: number[] = [];
for (let round = 0; round <= ROUNDS; round += 1) {
  const ended = new Set<string>();
  const over = Promise.withResolvers<void>();
  const times = await burst(
    (session_id) => ({ method: "prompt.submit", params: { session_id, text: "hi" } }),
    ({ params }) => {
      if (params?.type === "message.complete" && ended.add(params.session_id).size === PROMPTS)
        over.resolve();
      return params?.type === "message.delta" ? params.session_id : undefined;
    },
  );
  await over.promise;
  // The first round fills caches.
  if (round === 0) continue;
  firsts.push(times[0] ?? Number.NaN);
  medians.push(median(times));
  lasts.push(times.at(-1) ?? Number.NaN);
}
report(`first text of ${PROMPTS} prompts at once: the first`, median(firsts), { unit: "ms" });
report(`first text of ${PROMPTS} prompts at once: the median`, median(medians), { unit: "ms" });
report(`first text of ${PROMPTS} prompts at once: the last`, median(lasts), { unit: "ms" });
agent.stdin.end();
