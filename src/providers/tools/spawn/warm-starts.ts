import type { Socket } from "node:net";
import { type Clock, sleep } from "../../../shared/async/clock.ts";
import type { Machine } from "../machine.ts";
import type { ProgramSurroundings, Sandbox, WaitingProgram, Walls, WallsAhead } from "../sandbox/port.ts";
import type { FifoSupply } from "./fifo-supply.ts";
import type { ForkServer } from "./fork-server.ts";
import type { LiveProcess } from "./live-process.ts";
import type { PipeReader } from "./pipe-reader.ts";
import { exitOf, launch, openPipes, type Pipes } from "./launch.ts";
import type { ChildPipe } from "./pipes.ts";

/** A program inside its walls that waits to be told what it is to become. */
export interface WarmStart {
  readonly marker: string;
  readonly output: ChildPipe<PipeReader>;
  /** Lets it become what it was taken for. */
  begin(): LiveProcess;
  /** Ends it. */
  drop(): Promise<void>;
}

/** The surroundings of a program and its walls. */
export interface WarmPlace extends ProgramSurroundings {
  readonly sandbox: Sandbox;
  readonly walls: Walls;
}

/** Options of warm starts. */
export interface WarmOptions {
  readonly fifos: FifoSupply;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly forks: () => ForkServer | undefined;
  /** Adds a mark to the variables of a program, by which all that comes of it is found. */
  readonly marked: (env: Readonly<Record<string, string>>) => {
    readonly marker: string;
    readonly env: Readonly<Record<string, string>>;
  };
}

/** Walls that stand ready at a time: each takes the memory of a few small programs. */
const MOST = 4;
/** Milliseconds after which walls that nobody wanted are taken down. */
const UNUSED_MS = 60_000;
/** Milliseconds after a command: what follows it at once, the request to the model, goes first. */
const PAUSE_MS = 10;
/** What is told has to fit into a pipe. */
const LONGEST_BYTES = 32 * 1024;

interface Waiting extends Omit<WarmStart, "begin"> {
  readonly spawned: LiveProcess;
  readonly told: Socket;
}

interface Ready extends Waiting {
  /** All that it was started with. */
  readonly key: string;
  readonly forget: () => void;
}

/**
 * Sandboxes in which a program waits already. To put up walls takes several times as long as to start a program; while the
 * model thinks about one command, those for the next are put up, of the state in which the workspace is then. They are used
 * only if they would be put up the same way again.
 */
export class WarmStarts {
  readonly #options: WarmOptions;
  readonly #ready = new Map<Sandbox, Ready>();
  readonly #coming = new Map<Sandbox, Coming>();
  /** Sandboxes that tell when they close. */
  readonly #known = new WeakSet<Sandbox>();
  #isClosed = false;

  constructor(options: WarmOptions) {
    this.#options = options;
  }

  /** Gives the program that waits in such walls, to become the program of these words: its file and its arguments. */
  take(place: WarmPlace, words: readonly string[]): WarmStart | undefined {
    const ready = this.#ready.get(place.sandbox);
    const told = bytesOf(words);
    if (ready === undefined || told.length > LONGEST_BYTES) return undefined;
    ready.forget();
    if (ready.key === keyOf(place) && isRunning(ready.spawned)) {
      const begin = (): LiveProcess => {
        ready.spawned.ref();
        ready.told.end(told);
        return ready.spawned;
      };
      return { ...ready, begin };
    }
    void ready.drop();
    return undefined;
  }

  /** Puts up walls for the next program in a place, when there is time. */
  prepare(place: WarmPlace): void {
    const { sandbox } = place;
    const { ahead } = sandbox;
    const isFull = this.#ready.size + this.#coming.size >= MOST;
    if (ahead === undefined || isFull || this.#isClosed) return;
    if (this.#ready.has(sandbox) || this.#coming.has(sandbox)) return;
    if (!this.#known.has(sandbox)) ahead.onClose(() => this.#end(sandbox));
    this.#known.add(sandbox);
    const life = new AbortController();
    const done = this.#prepare(place, ahead, life.signal)
      // Without it the next program is started as usual.
      .catch(() => undefined)
      .finally(() => this.#coming.delete(sandbox));
    this.#coming.set(sandbox, { life, done });
  }

  /** Ends all that wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = new Set([...this.#coming.keys(), ...this.#ready.keys()]);
    await Promise.all([...all].map((sandbox) => this.#end(sandbox)));
  }

  async #prepare(place: WarmPlace, ahead: WallsAhead, life: AbortSignal): Promise<void> {
    const { clock, marked } = this.#options;
    await sleep(clock, PAUSE_MS, life);
    if (life.aborted) return;
    const { marker, env } = marked(place.env);
    const { walls, base, sandbox } = place;
    const program = await ahead.wrap({ cwd: walls.cwd, base, env });
    const started = await this.#start(program, marker, life).finally(() => program.release());
    if (started === undefined) return;
    const { spawned } = started;
    const forget = (): void => {
      cancel();
      spawned.off("exit", giveUp);
      if (this.#ready.get(sandbox) === ready) this.#ready.delete(sandbox);
    };
    const giveUp = (): void => {
      forget();
      void ready.drop();
    };
    const ready: Ready = { ...started, key: keyOf({ ...place, walls: program.walls }), forget };
    const cancel = clock.after(UNUSED_MS, giveUp);
    spawned.once("exit", giveUp);
    // It is no reason for this process to stay.
    spawned.unref();
    this.#ready.set(sandbox, ready);
  }

  /** Starts it and waits until it is ready; `undefined` when it is not to be. */
  async #start(program: WaitingProgram, marker: string, life: AbortSignal): Promise<Waiting | undefined> {
    const { fifos, machine } = this.#options;
    const pipes = await openPipes({ writable: true, joined: true }, fifos);
    const { input, output } = pipes;
    let spawned: LiveProcess | undefined;
    const drop = (): Promise<void> => dropped(spawned, pipes, machine);
    try {
      spawned = await launched(program, pipes, this.#options.forks());
      if (input !== undefined && output !== undefined && spawned !== undefined) {
        const isReady = await saysReady(output.host, life);
        if (isReady && isRunning(spawned)) return { spawned, marker, told: input.host, output, drop };
      }
    } catch (error) {
      await drop();
      throw error;
    }
    await drop();
    return undefined;
  }

  async #end(sandbox: Sandbox): Promise<void> {
    const coming = this.#coming.get(sandbox);
    coming?.life.abort();
    await coming?.done;
    const ready = this.#ready.get(sandbox);
    ready?.forget();
    await ready?.drop();
  }
}

interface Coming {
  readonly life: AbortController;
  readonly done: Promise<void>;
}

/** Starts it with both its pipes; `undefined` where they could not be made. */
async function launched(
  program: WaitingProgram,
  { input, output }: Pipes,
  forks: ForkServer | undefined,
): Promise<LiveProcess | undefined> {
  try {
    if (input === undefined || output === undefined) return undefined;
    // Whoever reads no more is over, and that is told.
    input.host.on("error", () => undefined);
    const descriptors = [...program.descriptors, input.childEnd];
    const stdio = ["ignore", output.childEnd, output.childEnd] as const;
    return await launch({ ...program, descriptors }, { label: "the sandbox", stdio, forks });
  } finally {
    input?.release();
    output?.release();
  }
}

/** Whether the first that it says is that it is ready; what comes later is left to others. */
async function saysReady(output: PipeReader, life: AbortSignal): Promise<boolean> {
  const stop = (): void => output.destroy();
  if (life.aborted) return false;
  life.addEventListener("abort", stop, { once: true });
  try {
    for await (const piece of output) return piece.length === 1 && piece[0] === 0 && !life.aborted;
    return false;
  } finally {
    life.removeEventListener("abort", stop);
  }
}

const isRunning = ({ exitCode, signalCode }: LiveProcess): boolean =>
  exitCode === null && signalCode === null;

const bytesOf = (words: readonly string[]): Buffer => Buffer.from(words.map((word) => `${word}\0`).join(""));

const keyOf = ({ base, env, walls }: WarmPlace): string => JSON.stringify([walls.key, base, env]);

/** Ends a program that has become nothing; all that is inside goes with it. */
async function dropped(
  spawned: LiveProcess | undefined,
  { input, output }: Pipes,
  machine: Machine,
): Promise<void> {
  const over = spawned !== undefined && isRunning(spawned) ? exitOf(spawned) : undefined;
  input?.host.destroy();
  try {
    if (over !== undefined && spawned !== undefined) machine.kill(-spawned.pid, "SIGKILL");
  } catch {
    // It is over, or ends with its input.
  }
  await over;
  output?.host.destroy();
}
