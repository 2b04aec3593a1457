#!/bin/sh
":" /*; # Run by sh, these lines start the project's pinned Node; run by Node, they are a string and a comment.
self=$(readlink -f "$0")
bin=${self%/*}
root=${bin%/*}
node="$root/node_modules/.bin/node"
[ -x "$node" ] || node=node
case "${1-}" in "" | -?* | attach) [ -t 0 ] && [ -t 1 ] && leaves=1 ;; esac
# Loading makes much garbage: with more room for young objects the start costs a sixth less. Beyond 4 MB it saves no time.
set -- --min-semi-space-size=2 --max-semi-space-size=4 "$self" "$@"
[ -n "${leaves-}" ] || exec "$node" "$@"
# What works on a terminal may leave it while a turn runs: then this shell ends, and the terminal is free.
exec 3<&0
AGENT_LAUNCHER_PID=$$ "$node" "$@" <&3 3<&- &
child=$!
exec 3<&-
trap 'exit 0' USR2
trap 'kill -HUP "$child"' HUP
trap 'kill -TERM "$child"' TERM
trap : INT QUIT
while :; do
  wait "$child"
  code=$?
  kill -0 "$child" 2>/dev/null || exit "$code"
done
exit
*/

// An import would read all that a module exports, and load more of Node for it than the agent does.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? (await import(name));
const { existsSync, readFileSync } = await builtin("node:fs");
const { fileURLToPath, pathToFileURL } = await builtin("node:url");

/** The command of the version that `agent update` has put in the place of this one. */
const inItsPlace = () => {
  try {
    const { AGENT_HOME: named, HOME: user = "" } = process.env;
    const versions = `${(named?.trim() || "~/.agent").replace(/^~(?=\/|$)/, () => user)}/versions`;
    const { of, version } = JSON.parse(readFileSync(`${versions}/current.json`, "utf8"));
    const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    const file = `${versions}/${version}/node_modules/${own.name}/bin/agent.js`;
    // Once another version is installed here, that one counts; a checkout is its owner's to update.
    const stands = of === own.version && existsSync(file) && !existsSync(new URL("../src", import.meta.url));
    return stands ? pathToFileURL(file).href : undefined;
  } catch {
    return undefined;
  }
};
const other = inItsPlace();

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const supported = major >= 26 || (major === 24 && minor >= 15);

// A shell that starts a program beside itself lets it ignore these; taking and leaving them makes them usual again.
for (const signal of ["SIGINT", "SIGQUIT"]) {
  const nothing = () => undefined;
  if (process.env.AGENT_LAUNCHER_PID === String(process.ppid)) process.on(signal, nothing).off(signal, nothing);
}

if (other !== undefined) {
  await import(other);
} else if (!existsSync(new URL("../dist/cli.js", import.meta.url))) {
  process.stderr.write(
    `agent is not built yet: run \`npm run build\` in ${fileURLToPath(new URL("..", import.meta.url))}\n`,
  );
  process.exitCode = 1;
} else if (supported) {
  const { enableCompileCache } = await builtin("node:module");
  enableCompileCache?.();
  // The room for young objects is the main thread's: the store's and the others need less.
  const { setFlagsFromString } = await builtin("node:v8");
  for (const flag of ["min", "max"]) setFlagsFromString(`--${flag}-semi-space-size=0`);
  const { main } = await import("../dist/cli.js");
  await main(process.argv.slice(2));
} else {
  const pinned = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
  if (existsSync(pinned)) {
    const { spawn } = await builtin("node:child_process");
    const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
      stdio: "inherit",
      env: { ...process.env, AGENT_LAUNCHER_PID: String(process.pid) },
    });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
      process.on(signal, () => child.kill(signal));
    // The child has left the terminal and goes on by itself.
    process.on("SIGUSR2", () => process.exit(0));
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
