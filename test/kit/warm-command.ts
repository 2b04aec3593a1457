import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { finished } from "node:stream/promises";

const PROGRAM = join(import.meta.dirname, "programs/warm-command.mjs");
/** As many wait for the next call; a test seldom has more commands at once. */
const MOST_IDLE = 3;

/** A call of the command: where, and with what environment. */
interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The file that the command takes for its own. */
  readonly program: string;
}

/** A process of the command, as far as tests touch one. */
export interface CommandProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  kill(signal: NodeJS.Signals): boolean;
  /** Tells the command to end, as SIGTERM does, where its process goes on. */
  end?(): void;
}

/** A command that runs in a process that is there already. */
export interface WarmCommand {
  readonly child: CommandProcess;
  /** The end of the command with all that it wrote: that of its process, when a signal or the command itself ended that. */
  readonly closed: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
}

/** The processes of this worker that wait for a call; the last one has the most in its caches. */
const idle: WarmProcess[] = [];

/**
 * Runs a command in a process that ran one before: to start one takes five times the work of what most of them do. Each
 * has that process for itself; signals reach it as they reach any.
 */
export function runWarm(call: Call): WarmCommand {
  let next = idle.pop();
  while (next?.isOver === true) next = idle.pop();
  return (next ?? new WarmProcess()).run(call);
}

/** The state of a call: once it is answered, its signals would reach the next one. */
interface CallState {
  isRunning: boolean;
  code: number | null;
}

/** A process that has loaded the command, and runs one call after the other. */
class WarmProcess {
  readonly #process: ChildProcess = fork(PROGRAM, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: [],
  });
  readonly #server: Server;
  readonly #listening: Promise<unknown>;
  /** What the next connections are: the streams of the call that runs. */
  #awaited: ((socket: Socket) => void)[] = [];
  #calls = 0;

  constructor() {
    this.#server = createServer((socket) => this.#awaited.shift()?.(socket.setNoDelay()));
    this.#listening = once(this.#server.listen(0, "127.0.0.1"), "listening");
    this.#process.once("exit", () => this.#server.close());
    // It is there for the next test too, and ends with the worker.
    this.#server.unref();
    this.#process.unref();
    this.#process.channel?.unref();
  }

  get isOver(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null || !this.#process.connected;
  }

  run(call: Call): WarmCommand {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    this.#awaited = [
      (socket) => void stdin.pipe(socket).on("error", () => undefined),
      ...[stdout, stderr].map((out) => (socket: Socket) => {
        out.on("error", () => undefined);
        socket.on("error", () => out.end()).pipe(out);
        out.once("close", () => socket.destroy());
      }),
    ];
    const child = this.#process;
    const state: CallState = { isRunning: true, code: null };
    this.#calls += 1;
    const id = this.#calls;
    const closed = this.#call({ ...call, id }, [stdout, stderr], state);
    return {
      closed,
      child: {
        stdin,
        stdout,
        stderr,
        pid: child.pid,
        get exitCode() {
          return state.code;
        },
        kill: (signal) => state.isRunning && child.kill(signal),
        // What comes after the answer is not meant for the next call.
        end: () => void (state.isRunning && child.send({ end: id }, () => undefined)),
      },
    };
  }

  async #call(
    call: Call & { readonly id: number },
    outputs: readonly PassThrough[],
    state: CallState,
  ): Promise<readonly [number | null, NodeJS.Signals | null]> {
    const child = this.#process;
    const ended = new AbortController();
    const exit = once(child, "exit", { signal: ended.signal });
    const answer = once(child, "message", { signal: ended.signal });
    const read = Promise.allSettled(outputs.map((output) => finished(output)));
    await this.#listening;
    const address = this.#server.address();
    child.send(
      { ...call, address: typeof address === "object" ? address?.port : undefined },
      () => undefined,
    );
    const [first, signal] = await Promise.race([answer, exit]).finally(() => {
      ended.abort();
      state.isRunning = false;
    });
    // A process that ended before it had connected has nothing to read.
    if (this.isOver && this.#awaited.length > 0) for (const output of outputs) output.end();
    await read;
    if (typeof first !== "object" || first === null) {
      state.code = first;
      return [first, signal];
    }
    // A signal may still be on its way to it.
    if (idle.length < MOST_IDLE && !child.killed) idle.push(this);
    else child.disconnect();
    // The program's own message.
    state.code = (first as { readonly code: number }).code;
    return [state.code, null];
  }
}
