import { defined } from "../../../shared/json/defined.ts";
import { cleanOutput } from "../../../shared/text/control-sequences.ts";
import type { Connection } from "../../gateway/connection.ts";
import type { Params, Result } from "../../protocol/methods.ts";
import type { HandlerContext } from "../handler.ts";
import { folderOf } from "./folder.ts";

/** Characters of output that go to clients at the end: the last ones. */
const SHORT_OUTPUT = { stdout: 4000, stderr: 2000 };
const SHORT_MS = 30_000;
/** Characters of a streamed output that are kept, for the client and for the next prompt: the last ones. */
const STREAMED = 30_000;

/** The streamed commands of each client, by their ids. */
const RUNNING = new WeakMap<Connection, Map<string, AbortController>>();

/** `shell.exec`: what a person typed, in the session's folder. */
export async function runShell(
  params: Params<"shell.exec">,
  context: HandlerContext,
): Promise<Result<"shell.exec">> {
  const { session_id, stream_id, keep } = params;
  // Prompts do not wait for a command that goes on for as long as it likes: its output is the next one's.
  const isQueued = keep && session_id !== undefined && stream_id === undefined;
  const run = (): Promise<Result<"shell.exec">> => runCommand(params, context);
  return await (isQueued ? context.gateway.sessionQueue.run(session_id, run) : run());
}

async function runCommand(
  { command, session_id, stream_id, keep }: Params<"shell.exec">,
  context: HandlerContext,
): Promise<Result<"shell.exec">> {
  const { gateway } = context;
  const cwd = await folderOf(gateway, session_id);
  const result =
    stream_id === undefined
      ? await runShort({ command, cwd }, context)
      : await runStreamed({ command, cwd, session: session_id ?? "", stream: stream_id }, context);
  if (keep && session_id !== undefined) {
    const opened = await gateway.open(session_id);
    const output = [result.stdout, result.stderr].filter((text) => text !== "").join("\n");
    const text = `${cleanOutput(output)}\n(${endWords(result)})`;
    opened.outputs = [...opened.outputs, { command, text }].slice(-MOST_KEPT);
  }
  return result;
}

function endWords({ stopped = false, background, code }: Result<"shell.exec">): string {
  if (background !== undefined) return `it goes on in the background as ${background}`;
  return stopped ? "stopped by the user" : `exit code ${code}`;
}

/** Outputs that wait for the next prompt. */
const MOST_KEPT = 10;

/** Ends a streamed command; `false` when it is over already. */
export function stopShell(connection: Connection, stream: string): boolean {
  const running = RUNNING.get(connection)?.get(stream);
  running?.abort();
  return running !== undefined;
}

async function runShort(
  { command, cwd }: { readonly command: string; readonly cwd: string },
  { gateway, signal }: HandlerContext,
): Promise<Result<"shell.exec">> {
  const options = { cwd, timeoutMs: SHORT_MS, keep: SHORT_OUTPUT.stdout, signal };
  const { code, stdout, stderr } = await gateway.ports.commands.shell(command, options);
  return { code, stdout, stderr: stderr.slice(-SHORT_OUTPUT.stderr).toWellFormed() };
}

interface Streamed {
  readonly command: string;
  readonly cwd: string;
  readonly session: string;
  readonly stream: string;
}

async function runStreamed(
  { command, cwd, session, stream }: Streamed,
  { gateway, connection, signal }: HandlerContext,
): Promise<Result<"shell.exec">> {
  const stop = new AbortController();
  const running = RUNNING.get(connection) ?? new Map<string, AbortController>();
  RUNNING.set(connection, running.set(stream, stop));
  connection.whenClosed(() => stop.abort());
  const sender = new OutputSender((text) =>
    connection.send({ type: "shell.output", payload: { stream_id: stream, text } }, { session }),
  );
  let all = "";
  let lines = 0;
  const onOutput = (text: string): void => {
    all = (all + text).slice(-STREAMED);
    lines += text.split("\n").length - 1;
    sender.add(text);
  };
  try {
    const options = { cwd, keep: 1000, signal: AbortSignal.any([signal, stop.signal]), onOutput };
    const front = session === "" ? {} : { front: { session, key: stream } };
    const { code, background } = await gateway.ports.commands.shell(command, { ...options, ...front });
    return { code, stdout: all.toWellFormed(), stderr: "", lines, ...defined({ background }) };
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
    return { code: -1, stdout: all.toWellFormed(), stderr: "", lines, stopped: true };
  } finally {
    running.delete(stream);
    await sender.sent();
  }
}

/** Sends output as fast as the client takes it; of what waits too long, the newest. */
class OutputSender {
  readonly #send: (text: string) => Promise<void>;
  #waiting = "";
  #sending: Promise<void> | undefined;

  constructor(send: (text: string) => Promise<void>) {
    this.#send = send;
  }

  add(text: string): void {
    this.#waiting = (this.#waiting + text).slice(-STREAMED);
    this.#sending ??= this.#drain();
  }

  /** Resolves when nothing waits any more. */
  async sent(): Promise<void> {
    await this.#sending;
  }

  async #drain(): Promise<void> {
    // What comes in the same tick goes together.
    await Promise.resolve();
    while (this.#waiting !== "") {
      const text = this.#waiting.toWellFormed();
      this.#waiting = "";
      await this.#send(text);
    }
    this.#sending = undefined;
  }
}
