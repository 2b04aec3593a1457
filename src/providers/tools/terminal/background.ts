import { Signal } from "../../../shared/async/signal.ts";
import { type Clock, sleep } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { BoundedOutput } from "../spawn/bounded-output.ts";
import type { Spawner, SpawnRequest } from "../spawn/spawner.ts";
import { BackgroundProcess, KEPT_OUTPUT } from "./background-process.ts";
import { FrontCommand, type FrontRequest } from "./front-command.ts";

type BackgroundRequest = Pick<SpawnRequest, "file" | "args" | "cwd" | "env" | "session" | "sandbox"> & {
  readonly command: string;
};

/** A listener for the commands in the background, with the session of each. */
export interface ProcessListener {
  began(session: string, process: BackgroundProcess): void;
  /** `heard`: a call of the model sees the end. `withHost`: it was ended because the host ends. */
  ended(session: string, process: BackgroundProcess, how: { heard: boolean; withHost: boolean }): void;
}

const NOBODY: ProcessListener = { began: () => undefined, ended: () => undefined };

const MOST_RUNNING = 16;
/** Ended ones whose output can still be read. */
const MOST_KEPT = 16;
/** Milliseconds within which one that is gone is known to be over, unless the system holds it. */
const KNOWN_MS = 2000;

/** The commands in the background, of all sessions of this host. Disposing ends them. */
export class BackgroundProcesses implements AsyncDisposable {
  readonly #spawner: Pick<Spawner, "spawn">;
  readonly #clock: Clock;
  readonly #listener: ProcessListener;
  readonly #sessions = new Map<string, BackgroundProcess[]>();
  /** Commands that somebody waits for. */
  readonly #front = new Set<FrontCommand>();
  /** Rings when there is one more. */
  readonly #came = new Signal();
  #closing = false;

  constructor(spawner: Pick<Spawner, "spawn">, clock: Clock, listener: ProcessListener = NOBODY) {
    this.#spawner = spawner;
    this.#clock = clock;
    this.#listener = listener;
  }

  /** @throws HostError `limit_exceeded` when the session has too many already */
  async start({ command, ...request }: BackgroundRequest): Promise<BackgroundProcess> {
    const { session } = request;
    this.#checkRoom(session);
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
    return this.#add(session, { command, startedAt: this.#clock.now(), output, bell, child });
  }

  /** Notes a command that somebody waits for, until it is disposed. */
  front(request: FrontRequest): FrontCommand {
    const front: FrontCommand = new FrontCommand(request, {
      startedAt: this.#clock.now(),
      over: () => void this.#front.delete(front),
    });
    this.#front.add(front);
    this.#came.notify();
    return front;
  }

  /**
   * Lets commands that somebody waits for go on in the background: one, or all of a session.
   *
   * @param until - waits for the one, when it is not there yet, until this aborts
   * @throws HostError `limit_exceeded` when the session has too many there already
   */
  async toBackground(
    session: string,
    key?: string,
    until?: AbortSignal,
  ): Promise<readonly BackgroundProcess[]> {
    const found = (): readonly FrontCommand[] =>
      [...this.#front].filter(
        ({ request }) => request.session === session && (key === undefined || request.key === key),
      );
    if (until !== undefined) {
      using coming = this.#came.listen(until);
      while (!until.aborted && found().length === 0) await coming.wait();
    }
    const meant = found();
    const moved: BackgroundProcess[] = [];
    for (const front of meant) {
      const child = await front.started;
      // It may be over by now, or somebody else was faster.
      if (child === undefined || front.moved.aborted || !this.#front.has(front)) continue;
      this.#checkRoom(session);
      const { request, output, bell, startedAt } = front;
      const running = this.#add(session, { command: request.command, startedAt, output, bell, child });
      front.move(running.id);
      moved.push(running);
    }
    return moved;
  }

  /** Those of a session, the oldest first; some that are over, too. */
  list(session: string): readonly BackgroundProcess[] {
    return this.#sessions.get(session) ?? [];
  }

  /** The sessions of which some run. */
  sessions(): readonly string[] {
    return [...this.#sessions]
      .filter(([, processes]) => processes.some(({ exit }) => exit === undefined))
      .map(([session]) => session);
  }

  /** The commands that run, of all sessions. */
  running(): readonly string[] {
    return [...this.#sessions.values()]
      .flat()
      .filter(({ exit }) => exit === undefined)
      .map(({ command }) => command);
  }

  /**
   * Ends one with all its processes; resolves when it is known to be over, and its listener has heard of it, or after
   * `KNOWN_MS` when neither is so: the system may hold a process that was killed.
   */
  async end({ child, ended }: BackgroundProcess): Promise<void> {
    await child.kill();
    await sleep(this.#clock, KNOWN_MS, ended);
  }

  /** Ends those of a session; resolves with the number of those that ran. */
  async stop(session: string): Promise<number> {
    const processes = this.#sessions.get(session) ?? [];
    this.#sessions.delete(session);
    return await this.#endAll(processes);
  }

  /** Ends all; resolves with the number of those that ran. */
  async stopAll(): Promise<number> {
    const processes = [...this.#sessions.values()].flat();
    this.#sessions.clear();
    return await this.#endAll(processes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await this.stopAll();
  }

  async #endAll(processes: readonly BackgroundProcess[]): Promise<number> {
    const running = processes.filter(({ exit }) => exit === undefined);
    await Promise.all(running.map((each) => this.end(each)));
    return running.length;
  }

  #checkRoom(session: string): void {
    const others = this.#sessions.get(session) ?? [];
    if (others.filter(({ exit }) => exit === undefined).length < MOST_RUNNING) return;
    throw new HostError(
      "limit_exceeded",
      `${MOST_RUNNING} processes of this session are running; end one with the process tool first`,
    );
  }

  #add(session: string, parts: ConstructorParameters<typeof BackgroundProcess>[0]): BackgroundProcess {
    const running = new BackgroundProcess(parts);
    this.#sessions.set(session, [...this.#kept(session), running]);
    this.#listener.began(session, running);
    const over = (): void =>
      this.#listener.ended(session, running, { heard: running.awaited > 0, withHost: this.#closing });
    running.ended.addEventListener("abort", over, { once: true });
    return running;
  }

  #kept(session: string): readonly BackgroundProcess[] {
    const all = this.#sessions.get(session) ?? [];
    const over = all.filter(({ exit }) => exit !== undefined);
    const dropped = new Set(over.slice(0, Math.max(0, over.length - MOST_KEPT)));
    return all.filter((one) => !dropped.has(one));
  }
}
