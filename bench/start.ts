import { spawn } from "node:child_process";
import { once } from "node:events";
import { median, report } from "./figures.ts";
import { benchHome } from "./gateway-process.ts";
import { agentCommandLine } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/** Wall time of whole commands, beside a Node that does as little as can be. */
const ROUNDS = 21;

await using model = await startModelProcess(["--tokens", "3"]);
using home = benchHome(model.baseUrl);

async function timed([program = "", ...args]: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(program, args, { env: home.env, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${[program, ...args].join(" ")} ended with ${code}`);
  return performance.now() - started;
}

const barePrompt = [process.execPath, plainProgram("prompt"), model.baseUrl, "hi"];
const [nothing, version, bare, run]: [number[], number[], number[], number[]] = [[], [], [], []];
for (let round = 0; round < ROUNDS; round += 1) {
  nothing.push(await timed([process.execPath, "-e", "0"]));
  version.push(await timed(agentCommandLine("--version")));
  bare.push(await timed(barePrompt));
  run.push(await timed(agentCommandLine("run", "hi")));
}
report("agent --version", median(version), { unit: "ms", floor: median(nothing) });
report("agent run hi, start to end", median(run), { unit: "ms", floor: median(bare) });
