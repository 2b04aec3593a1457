import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, report } from "./figures.ts";

/** Wall time of whole commands, beside a Node that does nothing. */
const agent = fileURLToPath(new URL("../bin/agent.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "agent-bench-"));
const env = { ...process.env, AGENT_HOME: home };

function timed(args: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { env, stdio: "ignore" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}`);
  return performance.now() - started;
}

const nothing: number[] = [];
const run: number[] = [];
const version: number[] = [];
for (let index = 0; index < 15; index += 1) {
  nothing.push(timed(["-e", "0"]));
  version.push(timed([agent, "--version"]));
  run.push(timed([agent, "run", "hi"]));
}
report("agent --version", median(version), { unit: "ms", floor: median(nothing) });
report('agent run "hi", demo model', median(run), { unit: "ms", floor: median(nothing) });
rmSync(home, { recursive: true });
