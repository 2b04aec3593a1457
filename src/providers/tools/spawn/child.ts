import type { Writable } from "node:stream";
import { setImmediate } from "node:timers";
import { sleep } from "../../../shared/async/clock.ts";
import type { Machine } from "../machine.ts";
import type { SandboxFindings } from "../sandbox/port.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { type OutputSource, OutputPump, type OutputSink } from "./drain.ts";
import type { LiveProcess } from "./live-process.ts";
import { killTree, treeMembers, type Tree, type TreeTools } from "./process-tree.ts";

/** The end of a program: its exit code or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Processes that it left running; they are being ended. */
  readonly left: number;
  /** What the walls around it refused, and what was taken out of what it left behind; only of a program inside. */
  readonly sandbox?: SandboxFindings;
}

/** One output of a child and its receiver. */
export interface ChildOutput {
  readonly readable: OutputSource;
  readonly sink: OutputSink;
}

/** The parts of a running child. */
export interface ChildParts {
  readonly spawned: LiveProcess;
  readonly tree: Promise<Tree>;
  readonly input: Writable | undefined;
  readonly outputs: readonly ChildOutput[];
  readonly tools: TreeTools;
  /** Ends what of it the table of processes does not show. */
  readonly end?: (() => Promise<void>) | undefined;
  /** Looks at what it did inside its walls, once it is over. */
  readonly findings?: (() => Promise<SandboxFindings>) | undefined;
  /** Called once, when the whole tree is gone. */
  readonly onGone: () => void;
}

const KILL_TRIES = 20;
const KILL_PAUSE = 200;

const never = new AbortController().signal;

/** A program that was started, and all that comes of it. */
export class SpawnedChild {
  readonly pid: number;
  /** Its standard input, when it was asked for. */
  readonly input: Writable | undefined;
  /** The child is over and what it wrote is read. It does not wait for those whom the child left behind. */
  readonly exited: Promise<Exit>;
  readonly #parts: ChildParts;
  #gone = false;
  #killing: Promise<void> | undefined;

  constructor(parts: ChildParts) {
    this.#parts = parts;
    this.pid = parts.spawned.pid;
    this.input = parts.input;
    // Writing to a child that is over is answered by its exit.
    this.input?.on("error", () => undefined);
    const pumps = parts.outputs.map(({ readable, sink }) => new OutputPump(readable, sink));
    this.exited = this.#supervise(pumps);
    this.exited.catch(() => undefined);
  }

  /** It runs in a sandbox. */
  get isInside(): boolean {
    return this.#parts.findings !== undefined;
  }

  /** Ends the child and its descendants; resolves when all are gone. */
  kill(): Promise<void> {
    if (this.#gone) return Promise.resolve();
    this.#killing ??= this.#end();
    return this.#killing;
  }

  async #supervise(pumps: readonly OutputPump[]): Promise<Exit> {
    const { promise, resolve } = Promise.withResolvers<Pick<Exit, "code" | "signal">>();
    this.#parts.spawned.once("exit", (code, signal) => resolve({ code, signal }));
    const exit = await promise;
    this.input?.destroy();
    const { findings, tools } = this.#parts;
    const drains = pumps.map((pump) => pump.drain(tools.clock));
    if (findings === undefined) {
      const [left] = await Promise.all([this.#endLeftovers(), ...drains]);
      return { ...exit, left };
    }
    const [sandbox] = await Promise.all([findings(), ...drains]);
    // Inside, nobody is left: all end with the first. The system only takes a moment to take them off its table.
    setImmediate(() => void this.#endLeftovers().catch(() => this.kill().catch(() => undefined)));
    return { ...exit, left: 0, sandbox };
  }

  async #endLeftovers(): Promise<number> {
    if (this.#killing !== undefined) return 0;
    const { tree, tools } = this.#parts;
    const left = await treeMembers(await tree, tools);
    if (left.length > 0) {
      // The result does not wait for those who take their time.
      this.kill().catch(() => undefined);
    } else this.#finish();
    return left.length;
  }

  /** Tries again when the system cannot even say who is there: too many open files must not save a process. */
  async #end(): Promise<void> {
    const { tree, tools, end } = this.#parts;
    // What stands for it here is ended in any case.
    await end?.().catch(() => undefined);
    for (let tries = 1; !this.#gone; tries += 1) {
      try {
        const survivors = await killTree(await tree, tools);
        if (survivors.length > 0) return; // Held by the system; the ledger keeps them for the next life.
        this.#finish();
      } catch (error) {
        if (tries >= KILL_TRIES) throw error;
        killGroup(tools.machine, this.pid);
        await sleep(tools.clock, KILL_PAUSE, never);
      }
    }
  }

  #finish(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#parts.onGone();
  }
}

function killGroup(machine: Machine, pid: number): void {
  try {
    machine.kill(-pid, "SIGKILL");
  } catch (error) {
    if (systemErrorCode(error) !== "ESRCH" && systemErrorCode(error) !== "EPERM") throw error;
  }
}
