// The built command, again and again in one process. Each message is a call: an argument list with its environment and
// folder, or the wish that it ends. What it reads and writes goes through sockets of its own, as through pipes.
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { connect } from "node:net";
import { main } from "./built-main.mjs";

const [node] = process.argv;
const STREAMS = ["stdin", "stdout", "stderr"];
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"];

/** The call that something belongs to. A timer that would have ended with its process must not end a later call's. */
const calls = new AsyncLocalStorage();
let current;
const exit = process.exit.bind(process);
process.exit = (code) => {
  const call = calls.getStore();
  if (call === undefined || call === current) exit(code);
};

process.on("message", (message) => {
  if (message.end === undefined) void calls.run(message, () => answer(message));
  else if (message.end === current?.id) calls.run(current, () => process.emit("SIGTERM", "SIGTERM"));
});
process.on("disconnect", () => exit(0));

async function answer(call) {
  current = call;
  // One after the other: they are told apart by their order.
  for (const name of STREAMS) {
    const value = connect(call.address);
    await once(value, "connect");
    Object.defineProperty(process, name, { value, configurable: true });
  }
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, call.env);
  process.argv = [node, call.program, ...call.args];
  process.chdir(call.cwd);
  await main(call.args);
  // To the next command, a signal is the first one.
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  const { stdin, stdout, stderr, exitCode } = process;
  stdin.destroy();
  // A reader that has left is no failure.
  await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.end(resolve))));
  current = undefined;
  process.send({ code: exitCode });
}
