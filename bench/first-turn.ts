import { median, report } from "./figures.ts";
import { benchHome } from "./gateway-process.ts";
import { agentCommandLine, LineClient } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/** From the start of a process to the end of its first turn, over ACP. */
const ROUNDS = 21;

await using model = await startModelProcess(["--tokens", "3"]);
using home = benchHome(model.baseUrl);
const floor = [process.execPath, plainProgram("agent"), "--model", model.baseUrl];

async function firstTurn(program: readonly string[]): Promise<number> {
  const started = performance.now();
  await using client = new LineClient(home.env, program);
  await client.initialize();
  const sessionId = await client.open(home.folder);
  await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] });
  return performance.now() - started;
}

const [ours, bare]: [number[], number[]] = [[], []];
for (let round = 0; round < ROUNDS; round += 1) {
  bare.push(await firstTurn(floor));
  ours.push(await firstTurn(agentCommandLine("acp")));
}
report("spawn to the first turn done, ACP", median(ours), {
  unit: "ms",
  floor: median(bare),
  goal: { ratio: 2 },
});
