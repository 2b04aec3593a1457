#!/bin/sh
":" /*; # Run by sh, these lines start the project's pinned Node; run by Node, they are a string and a comment.
self=$0
# To follow a link takes a program; an editor that starts this file itself need not wait for that.
[ ! -L "$self" ] || self=$(readlink -f "$self")
[ "${self%/*}" != "$self" ] || self=./$self
node="${self%/*}/../node_modules/.bin/node"
[ -x "$node" ] || node=node
case "${1-}" in "" | -?* | attach) [ -t 0 ] && [ -t 1 ] && leaves=1 ;; esac
# The first touch of a page of memory can cost as much as two hundred objects: young objects stay in little room, again and again.
# It grows once the start is over, when many of them live at a time.
# Most other flags of V8 would have Node compile its own modules: the code that it brings is good for the usual ones alone.
set -- --min-semi-space-size=2 --max-semi-space-size=4 --semi-space-growth-factor=1 "$self" "$@"
# What a thread freed, glibc keeps for it: with one pool for all, an agent is 2 MB smaller when idle, and 3 after some turns.
# Who has settings for glibc keeps them; nobody that the agent starts has this one.
if [ -z "${GLIBC_TUNABLES-}" ]; then
  GLIBC_TUNABLES=glibc.malloc.arena_max=1
  AGENT_LAUNCHER_TUNABLES=1
  export GLIBC_TUNABLES AGENT_LAUNCHER_TUNABLES
fi
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

const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const root = join(__dirname, "..");

/** The command of the version that `agent update` has put in the place of this one. */
const inItsPlace = () => {
  try {
    const { AGENT_HOME: named, HOME: user = "" } = process.env;
    const versions = `${(named?.trim() || "~/.agent").replace(/^~(?=\/|$)/, () => user)}/versions`;
    const { of, version } = JSON.parse(readFileSync(`${versions}/current.json`, "utf8"));
    const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const file = `${versions}/${version}/node_modules/${own.name}/bin/agent.js`;
    // Once another version is installed here, that one counts; a checkout is its owner's to update.
    const stands = of === own.version && existsSync(file) && !existsSync(join(root, "src"));
    return stands ? file : undefined;
  } catch {
    return undefined;
  }
};

/** Whether these arguments serve an editor: `acp`, with or without a profile. */
const servesEditor = (args) => /^(?:(?:-p|--profile)[ =]?\S+ )?acp$/.test(args.join(" "));

/** Begins to greet the editor on stdin, and looks whether it has said something already. */
const begunGreeting = async () => {
  const greeting = require("../dist/greeting.cjs").greetOnStdio();
  for (let look = 0; look < 3; look += 1) await new Promise(setImmediate);
  return { greeting };
};

/** Milliseconds after which the room for young objects may grow. */
const SMALL_MS = 1_000;

/** Runs the agent in this process. */
const run = async (args) => {
  // An editor waits for its first answer: that comes before anything else is loaded, when the question is there already.
  const greeting = servesEditor(args) ? await begunGreeting() : undefined;
  require("node:module").enableCompileCache?.();
  // The room for young objects is the main thread's: the store's and the others need less.
  const { setFlagsFromString } = require("node:v8");
  for (const flag of ["min", "max"]) setFlagsFromString(`--${flag}-semi-space-size=0`);
  setTimeout(() => setFlagsFromString("--semi-space-growth-factor=2"), SMALL_MS).unref();
  const { main } = require("../dist/loading.cjs").loadCommand(join(root, "dist/command"), args);
  await main(args, greeting);
};

/** The descriptor that an agent has in common with its launcher: it is closed with the launcher, however that ends. */
const LINE = 3;

/** Runs the agent on the Node that `npm ci` has brought, for this one is too old. */
const runOn = (pinned) => {
  const { spawn } = require("node:child_process");
  const child = spawn(pinned, [__filename, ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, AGENT_LAUNCHER_PID: String(process.pid), AGENT_LAUNCHER_LINE: String(LINE) },
  });
  child.stdio[LINE].on("error", () => undefined).unref();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
    process.on(signal, () => child.kill(signal));
  // The child has left the terminal and goes on by itself.
  process.on("SIGUSR2", () => child.stdio[LINE].end("left", () => process.exit(0)));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
};

/** An agent whose launcher is killed ends as if it had been killed itself; one that has left its launcher is told so before. */
const endWithLauncher = () => {
  const { fstatSync } = require("node:fs");
  const { Socket } = require("node:net");
  // Who only has the variable from somewhere has no such line.
  if (!fstatSync(LINE).isSocket()) return;
  let hasLeft = false;
  const line = new Socket({ fd: LINE, writable: false });
  line.on("data", () => (hasLeft = true)).on("error", () => undefined);
  line.on("close", () => hasLeft || process.kill(process.pid, "SIGKILL"));
  line.unref();
};

const fail = (message) => {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
};

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isSupported = major >= 26 || (major === 24 && minor >= 15);

// A shell that starts a program beside itself lets it ignore these; taking and leaving them makes them usual again.
for (const signal of ["SIGINT", "SIGQUIT"]) {
  const nothing = () => undefined;
  if (process.env.AGENT_LAUNCHER_PID === String(process.ppid)) process.on(signal, nothing).off(signal, nothing);
}

if (process.env.AGENT_LAUNCHER_LINE === String(LINE)) {
  // Nobody that it starts has this line.
  delete process.env.AGENT_LAUNCHER_LINE;
  endWithLauncher();
}

if (process.env.AGENT_LAUNCHER_TUNABLES) {
  delete process.env.AGENT_LAUNCHER_TUNABLES;
  delete process.env.GLIBC_TUNABLES;
}

const other = inItsPlace();
const pinned = join(root, "node_modules/.bin/node");
if (other !== undefined) void import(pathToFileURL(other).href);
else if (!existsSync(join(root, "dist/command/main.cjs")))
  fail(`agent is not built yet: run \`npm run build\` in ${root}`);
else if (isSupported) void run(process.argv.slice(2));
else if (existsSync(pinned)) runOn(pinned);
else
  fail(
    `agent needs Node 24.15 or newer (26 is best); this is ${process.versions.node}. Install one from https://nodejs.org, or run \`npm ci\` in a checkout, which brings its own.`,
  );
