// The built command, again and again in one process on one terminal: each line of the socket is a call, or the wish that it ends.
import { closeSync, constants, openSync, readSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { main } from "../../kit/programs/built-main.mjs";

const [node, , path] = process.argv;
const BIN = fileURLToPath(new URL("../../../bin/agent.js", import.meta.url));
const control = connect(path);
control.on("close", () => process.exit(0)).on("error", () => process.exit(0));
for (const stream of [process.stdin, process.stdout, process.stderr, process]) stream.setMaxListeners(0);

createInterface({ input: control }).on("line", (line) => {
  const { call } = JSON.parse(line);
  if (call !== undefined) void answer(call);
  // As the signal does it; a call that does not listen for it ends with the process.
  else if (!process.emit("SIGTERM", "SIGTERM")) process.exit(1);
});

async function answer({ args, env, cwd, mark }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [node, BIN, ...args];
  // Its window may have another size now.
  process.emit("SIGWINCH", "SIGWINCH");
  await main(args);
  dropKeys();
  process.stdout.write(`${mark}${process.exitCode}\u0007`);
}

/** Keys that nobody read are not for the next one. */
function dropKeys() {
  process.stdin.setRawMode(true);
  while (process.stdin.read() !== null);
  const terminal = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    while (readSync(terminal, Buffer.alloc(4096)) > 0);
  } catch {
    // No more are there.
  }
  closeSync(terminal);
  process.stdin.setRawMode(false);
}
