#!/bin/sh
":" //; self=$(readlink -f "$0"); root=$(dirname "$(dirname "$self")"); node="$root/node_modules/.bin/node"; [ -x "$node" ] || node=node; exec "$node" "$self" "$@"

// Run by sh, the line above starts the project's pinned Node in this same process; run by Node, it is a string.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const supported = major >= 26 || (major === 24 && minor >= 15);

if (!existsSync(new URL("../dist/cli.js", import.meta.url))) {
  process.stderr.write(
    `agent is not built yet: run \`npm run build\` in ${fileURLToPath(new URL("..", import.meta.url))}\n`,
  );
  process.exitCode = 1;
} else if (supported) {
  const { enableCompileCache } = await import("node:module");
  enableCompileCache?.();
  const { main } = await import("../dist/cli.js");
  await main(process.argv.slice(2));
} else {
  const pinned = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
  if (existsSync(pinned)) {
    const { spawn } = await import("node:child_process");
    const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
      stdio: "inherit",
      env: { ...process.env, AGENT_LAUNCHER_PID: String(process.pid) },
    });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
      process.on(signal, () => child.kill(signal));
    child.on("exit", (code, signal) => {
      if (signal === null) process.exit(code ?? 1);
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    });
  } else {
    process.stderr.write(
      `agent needs Node 24.15 or newer (26 is best); this is ${process.versions.node}. Install one from https://nodejs.org, or run \`npm ci\` in a checkout, which brings its own.\n`,
    );
    process.exitCode = 1;
  }
}
