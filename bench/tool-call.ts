import { spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { median, report } from "./figures.ts";
import { benchHome } from "./gateway-process.ts";
import { agentCommandLine, LineClient } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/** What a command that does nothing adds to a turn, with the model's second reply, outside the sandbox and inside. */
const ROUNDS = 60;
const WARM = 10;
/** The plainest walls that have a network and processes of their own. */
const BARE_WALLS = "bwrap --unshare-all --die-with-parent --ro-bind / / --proc /proc --dev /dev".split(" ");

await using talking = await startModelProcess(["--tokens", "3"]);
await using calling = await startModelProcess([
  "--tokens",
  "3",
  "--tool",
  "terminal",
  "--arguments",
  '{"command":"true"}',
]);

/** Milliseconds of each turn with one of the models, one more of each a call. */
interface Turns extends AsyncDisposable {
  talk(): Promise<number>;
  call(): Promise<number>;
}

async function turnsOf(client: (model: string) => LineClient, cwd: string): Promise<Turns> {
  const stack = new AsyncDisposableStack();
  const turnOf = async (model: string): Promise<() => Promise<number>> => {
    const opened = stack.use(client(model));
    await opened.initialize();
    const sessionId = await opened.open(cwd);
    return async () => {
      const started = performance.now();
      await opened.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] });
      return performance.now() - started;
    };
  };
  const talk = await turnOf(talking.baseUrl);
  const call = await turnOf(calling.baseUrl);
  return { talk, call, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** @param thinkMs - milliseconds between two calls, in which a model would think */
async function measure(
  name: string,
  backend: string,
  { walls = [], thinkMs = 0 }: { readonly walls?: readonly string[]; readonly thinkMs?: number } = {},
): Promise<void> {
  using stack = new DisposableStack();
  const env = process.env;
  const bareAgent = plainProgram("agent");
  const flags = ["--walls", JSON.stringify(walls)];
  const settings = `approvals:\n  mode: "off"\nterminal:\n  backend: ${backend}\n`;
  await using ours = await turnsOf(
    (model) => new LineClient(stack.use(benchHome(model, settings)).env, agentCommandLine("acp")),
    process.cwd(),
  );
  await using bare = await turnsOf(
    (model) => new LineClient(env, [process.execPath, bareAgent, "--model", model, ...flags]),
    process.cwd(),
  );
  const [own, floor]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (thinkMs > 0) await pause(thinkMs);
    floor.push((await bare.call()) - (await bare.talk()));
    own.push((await ours.call()) - (await ours.talk()));
  }
  report(name, median(own.slice(WARM)), {
    unit: "ms",
    floor: median(floor.slice(WARM)),
    goal: { ratio: 1.8 },
  });
}

await measure("a tool call, shell without sandbox", "local");
const [bwrap = "", ...args] = BARE_WALLS;
if (spawnSync(bwrap, [...args, "true"]).status === 0) {
  await measure("a tool call, shell in the sandbox", "sandbox", { walls: BARE_WALLS });
  await measure("... 100 ms after another one", "sandbox", { walls: BARE_WALLS, thinkMs: 100 });
} else console.log("no sandbox here: nothing to measure");
