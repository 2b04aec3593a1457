import { EventEmitter } from "node:events";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers";

type ExitListener = (code: number | null, signal: NodeJS.Signals | null) => void;

/** A process that was started, by this process or for it: the part of Node's `ChildProcess` that is used here. */
export interface LiveProcess {
  readonly pid: number;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  /** Its streams, where they are no descriptors of the caller's. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** The line of the system's table with which it began, where it was read for the caller. */
  readonly stat?: string;
  once(event: "exit", listener: ExitListener): unknown;
  off(event: "exit", listener: ExitListener): unknown;
  /** This process stays as long as it runs, which is so at first; or does not. */
  ref(): void;
  unref(): void;
}

const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

/** A process that another one has started for this one, and waits for. */
export class ForkedProcess extends EventEmitter<{ exit: Parameters<ExitListener> }> implements LiveProcess {
  readonly pid: number;
  readonly stat: string;
  readonly stdin = null;
  readonly stdout = null;
  readonly stderr = null;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly #holds: (holds: boolean) => void;

  /** @param holds - told whether this process stays for it */
  constructor(start: Pick<LiveProcess, "pid"> & { readonly stat: string }, holds: (holds: boolean) => void) {
    super();
    this.pid = start.pid;
    this.stat = start.stat;
    this.#holds = holds;
  }

  ref(): void {
    this.#holds(true);
  }

  unref(): void {
    this.#holds(false);
  }

  /** @param status - as the system gives it to who waited: the signal in the low bits, else the exit code above them */
  ended(status: number): void {
    const signal = status & 0x7f;
    if (signal === 0) this.exitCode = status >> 8;
    else this.signalCode = SIGNALS.get(signal) ?? "SIGKILL";
    // It may have come together with the start, to which nobody could listen yet.
    setImmediate(() => this.emit("exit", this.exitCode, this.signalCode));
  }
}
