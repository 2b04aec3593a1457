import { randomBytes } from "node:crypto";
import { Signal } from "../../../shared/async/signal.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { BoundedOutput } from "../spawn/bounded-output.ts";
import type { Exit, SpawnedChild } from "../spawn/child.ts";
import type { Spawner, SpawnRequest } from "../spawn/spawner.ts";

type BackgroundRequest = Pick<SpawnRequest, "file" | "args" | "cwd" | "env" | "session"> & {
  readonly command: string;
};

const MOST_RUNNING = 16;
/** Ended ones whose output can still be read. */
const MOST_KEPT = 16;
const KEPT_OUTPUT = { head: 16 * 1024, tail: 256 * 1024 };

/** The commands in the background, of all sessions of this host. Disposing ends them. */
export class BackgroundProcesses implements AsyncDisposable {
  readonly #spawner: Spawner;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, BackgroundProcess[]>();

  constructor(spawner: Spawner, clock: Clock) {
    this.#spawner = spawner;
    this.#clock = clock;
  }

  /** @throws HostError `limit_exceeded` when the session has too many already */
  async start({ command, ...request }: BackgroundRequest): Promise<BackgroundProcess> {
    const { session } = request;
    const others = this.#sessions.get(session) ?? [];
    if (others.filter(({ exit }) => exit === undefined).length >= MOST_RUNNING) {
      throw new HostError(
        "limit_exceeded",
        `${MOST_RUNNING} processes of this session are running; end one with the process tool first`,
      );
    }
    const output = new BoundedOutput(KEPT_OUTPUT);
    const bell = new Signal();
    const child = await this.#spawner.spawn({
      ...request,
      label: command.slice(0, 80),
      writable: true,
      output(chunk) {
        output.append(chunk);
        bell.notify();
      },
      // The turn that started it may end; it does not.
      signal: new AbortController().signal,
    });
    const running = new BackgroundProcess({ command, startedAt: this.#clock.now(), output, bell, child });
    this.#sessions.set(session, [...this.#kept(session), running]);
    return running;
  }

  /** Those of a session, the oldest first; some that are over, too. */
  list(session: string): readonly BackgroundProcess[] {
    return this.#sessions.get(session) ?? [];
  }

  /** Ends those of a session; resolves with the number of those that ran. */
  async stop(session: string): Promise<number> {
    const processes = this.#sessions.get(session) ?? [];
    this.#sessions.delete(session);
    return await stopThem(processes);
  }

  /** Ends all; resolves with the number of those that ran. */
  async stopAll(): Promise<number> {
    const processes = [...this.#sessions.values()].flat();
    this.#sessions.clear();
    return await stopThem(processes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopAll();
  }

  #kept(session: string): readonly BackgroundProcess[] {
    const all = this.#sessions.get(session) ?? [];
    const over = all.filter(({ exit }) => exit !== undefined);
    const dropped = new Set(over.slice(0, Math.max(0, over.length - MOST_KEPT)));
    return all.filter((one) => !dropped.has(one));
  }
}

async function stopThem(processes: readonly BackgroundProcess[]): Promise<number> {
  const running = processes.filter(({ exit }) => exit === undefined);
  await Promise.all(running.map(({ child }) => child.kill()));
  return running.length;
}

type Parts = Pick<BackgroundProcess, "command" | "startedAt" | "output" | "bell" | "child">;

/** A command that goes on while the session does other things. */
export class BackgroundProcess {
  readonly id = `bg_${randomBytes(4).toString("hex")}`;
  readonly command: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly output: BoundedOutput;
  /** Rings when there is more output. */
  readonly bell: Signal;
  readonly child: SpawnedChild;
  exit: Exit | undefined;
  /** Up to where the model has read. */
  read = 0;
  readonly #end = new AbortController();

  constructor({ command, startedAt, output, bell, child }: Parts) {
    this.command = command;
    this.startedAt = startedAt;
    this.output = output;
    this.bell = bell;
    this.child = child;
    void child.exited.then(
      (exit) => this.#over(exit),
      // Its end could not be observed to the last; it is over all the same.
      () => this.#over({ code: null, signal: null, left: 0 }),
    );
  }

  /** Aborted when it has ended. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  #over(exit: Exit): void {
    this.exit = exit;
    this.#end.abort();
  }
}
