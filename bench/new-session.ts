import { setTimeout as pause } from "node:timers/promises";
import { median, report } from "./figures.ts";
import { benchHome } from "./gateway-process.ts";
import { agentCommandLine, LineClient } from "./line-client.ts";
import { plainProgram } from "./plain-program.ts";

/** The first session of a fresh process: asked for at once after the greeting, and once the process had a moment. */
const ROUNDS = 15;
/** Editors start the agent ahead: a person opens a conversation later. */
const MOMENT_MS = 1000;

using home = benchHome();
const floor = [process.execPath, plainProgram("agent")];

async function opened(program: readonly string[], moment: number): Promise<number> {
  await using client = new LineClient(home.env, program);
  await client.initialize();
  await pause(moment);
  const asked = performance.now();
  await client.open(home.folder);
  return performance.now() - asked;
}

for (const [name, moment] of [
  ["session/new, at once", 0],
  ["session/new on a fresh process", MOMENT_MS],
] as const) {
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await opened(floor, moment));
    ours.push(await opened(agentCommandLine("acp"), moment));
  }
  const goal = moment === 0 ? {} : { goal: { value: 8 } };
  report(name, median(ours), { unit: "ms", floor: median(bare), ...goal });
}
