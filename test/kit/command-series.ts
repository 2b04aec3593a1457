import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { CommandEnd } from "./command-end.ts";

const PROGRAM = join(import.meta.dirname, "programs/command-series.mjs");

/** A call of the command: where, and with what environment. */
interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

let child: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in the process that ran the one before: to start one takes five times the work of what most of them do.
 * One after the other, for all tests of this worker. Nothing is on its stdin.
 */
export function runInSeries(call: Call): Promise<CommandEnd> {
  const end = last.then(() => ask(call));
  last = end.catch(() => undefined);
  return end;
}

async function ask(call: Call): Promise<CommandEnd> {
  child ??= begin();
  const ended = new AbortController();
  const over = once(child, "exit", { signal: ended.signal });
  const answer = once(child, "message", { signal: ended.signal });
  child.send(call);
  const [first] = await Promise.race([answer, over]).finally(() => ended.abort());
  if (typeof first !== "object" || first === null) {
    child = undefined;
    throw new Error(
      `\`agent ${call.args.join(" ")}\` ended the process that runs commands (${String(first)}).`,
    );
  }
  // The program's own message.
  return { signal: null, ...(first as Omit<CommandEnd, "signal">) };
}

function begin(): ChildProcess {
  const begun = fork(PROGRAM, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
  // It is there for the next test too, and ends with the worker.
  begun.unref();
  begun.channel?.unref();
  return begun;
}
