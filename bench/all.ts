import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs every benchmark in a process of its own. */
for (const name of [
  "turns",
  "stream",
  "tools",
  "sandbox",
  "checkpoints",
  "prompt",
  "memory",
  "start",
  "acp",
  "tui",
  "tui-memory",
  "webhook",
  "gateway",
  "gateway-burst",
  "gateway-fleet",
  "http",
  "garbage",
]) {
  console.log(`\n${name}`);
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, ["--expose-gc", file], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
