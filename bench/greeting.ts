import { median, report } from "./figures.ts";
import { benchHome } from "./gateway-process.ts";
import { agentCommandLine, LineClient } from "./line-client.ts";
import { plainProgram } from "./plain-program.ts";

/** What an editor waits for before it knows that there is an agent. */
const ROUNDS = 25;

using home = benchHome();
const floor = [process.execPath, plainProgram("agent")];

async function greeted(program: readonly string[]): Promise<number> {
  const started = performance.now();
  await using client = new LineClient(home.env, program);
  await client.initialize();
  return performance.now() - started;
}

const [ours, bare]: [number[], number[]] = [[], []];
for (let round = 0; round < ROUNDS; round += 1) {
  bare.push(await greeted(floor));
  ours.push(await greeted(agentCommandLine("acp")));
}
report("spawn to the first protocol answer, ACP", median(ours), {
  unit: "ms",
  floor: median(bare),
  goal: { ratio: 1 },
});
