import { median, report } from "./figures.ts";
import { benchHome, memoryOf } from "./gateway-process.ts";
import { agentCommandLine, LineClient } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/**
 * Memory of a process with one session, over ACP: idle, after a turn, and after many; beside a program that keeps the
 * messages and posts them.
 */
const ROUNDS = 3;
const TURNS = 500;
/** Milliseconds until what runs after a start is over. */
const SETTLED = 2500;

await using model = await startModelProcess(["--tokens", "30"]);
const floor = [process.execPath, plainProgram("session"), "--model", model.baseUrl];

interface Usage {
  readonly idle: number;
  readonly first: number;
  readonly last: number;
  /** Milliseconds of one of the last turns. */
  readonly turn: number;
}

async function usage(program: readonly string[]): Promise<Usage> {
  using home = benchHome(model.baseUrl, "  context_length: 100000000\n");
  await using client = new LineClient(home.env, program);
  await client.initialize();
  const sessionId = await client.open(home.folder);
  const turn = async (index: number): Promise<number> => {
    const started = performance.now();
    const prompt = [{ type: "text", text: `prompt ${index} `.padEnd(100, "?") }];
    await client.request("session/prompt", { sessionId, prompt });
    return performance.now() - started;
  };
  await new Promise((resolve) => setTimeout(resolve, SETTLED));
  const idle = memoryOf(client.pid);
  await turn(0);
  const first = memoryOf(client.pid);
  const turns: number[] = [];
  for (let index = 1; index < TURNS; index += 1) turns.push(await turn(index));
  return { idle, first, last: memoryOf(client.pid), turn: median(turns.slice(-50)) };
}

const [ours, bare]: [Usage[], Usage[]] = [[], []];
for (let round = 0; round < ROUNDS; round += 1) {
  bare.push(await usage(floor));
  ours.push(await usage(agentCommandLine("acp")));
}
for (const [name, key] of [
  ["RSS, idle", "idle"],
  ["RSS after a turn", "first"],
  [`RSS after ${TURNS} turns`, "last"],
] as const) {
  const [value, least] = [ours, bare].map((list) => median(list.map((each) => each[key])));
  report(name, value ?? Number.NaN, { unit: "MB", floor: least ?? Number.NaN, goal: { ratio: 1.3 } });
}
const [late, least] = [ours, bare].map((list) => median(list.map(({ turn }) => turn)));
report(`turn, around turn ${TURNS}, with its history`, late ?? Number.NaN, {
  unit: "ms",
  floor: least ?? Number.NaN,
});
