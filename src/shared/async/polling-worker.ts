import type { Clock } from "./clock.ts";
import { retryWhileStoreFails } from "./retry-while-store-fails.ts";
import { type HostError, toHostError } from "../errors/host-error.ts";

/** The options of a `PollingWorker`: how often it looks for work, and how much it does at once. */
export interface PollingWorkerOptions {
  readonly clock: Clock;
  /** Told of failures that reach no caller. */
  readonly report: (error: HostError) => void;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  readonly concurrency: number;
  /** Looks once: begins as much of what is due as there is room for. */
  readonly poll: () => Promise<void>;
}

/** A piece of work that this process has claimed: nobody else takes it up as long as this process lives. */
export interface ClaimedWork {
  /** Does it; it comes to the same when it is done again. */
  readonly work: () => Promise<unknown>;
  /** Whether it is still this process's. */
  readonly isClaimed: () => Promise<boolean>;
}

/**
 * A worker that looks again and again for work that any process of a home may do, and keeps track of what this process
 * does of it. Disposing leaves work in flight to the next process.
 */
export class PollingWorker implements AsyncDisposable {
  readonly #options: PollingWorkerOptions;
  readonly #life = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;
  #ticking: Promise<void> | undefined;
  #cancel: () => void = () => undefined;

  constructor(options: PollingWorkerOptions) {
    this.#options = options;
  }

  /** Aborts when work in flight is to be left as it stands. */
  get signal(): AbortSignal {
    return this.#life.signal;
  }

  /** Pieces of work in flight in this process. */
  get running(): number {
    return this.#running.size;
  }

  /** The number of tasks that may begin now; 0 once it was stopped. */
  get capacity(): number {
    return this.#stopped ? 0 : Math.max(0, this.#options.concurrency - this.#running.size);
  }

  start(): void {
    if (this.#stopped) return;
    const { clock, report, everyMs } = this.#options;
    void this.pollOnce()
      .catch((thrown: unknown) => report(toHostError(thrown)))
      .finally(() => {
        if (!this.#stopped) this.#cancel = clock.after(everyMs, () => this.start());
      });
  }

  /** Looks once; joins a look that is going on. */
  pollOnce(): Promise<void> {
    this.#ticking ??= this.#options.poll().finally(() => (this.#ticking = undefined));
    return this.#ticking;
  }

  /** Looks once, not before it was asked to: a look that is going on may have passed what came since it began. */
  async pollAnew(): Promise<void> {
    await this.#ticking?.catch(() => undefined);
    await this.pollOnce();
  }

  /** Keeps account of a piece of work; resolves when it is over, however it ended. */
  track(work: Promise<unknown>): Promise<void> {
    const running: Promise<void> = work
      .then(
        () => undefined,
        (thrown: unknown) => {
          // Another process takes it up: that is no failure.
          if (!this.signal.aborted) this.#options.report(toHostError(thrown));
        },
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** Keeps account of a piece of claimed work, which is done again for as long as the store fails in it. */
  trackClaimed({ work, isClaimed }: ClaimedWork): Promise<void> {
    const { clock, report } = this.#options;
    let isBegun = false;
    const unlessTaken = async (): Promise<void> => {
      if (isBegun && !(await isClaimed())) return;
      isBegun = true;
      await work();
    };
    // Nobody else does it: there is nothing to come apart from.
    return this.track(
      retryWhileStoreFails({ clock, random: () => 1, report, signal: this.signal }, unlessTaken),
    );
  }

  /** Resolves when nothing is in flight in this process. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Begins nothing new; what is in flight goes on. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#ticking?.catch(() => undefined);
  }

  /** Leaves work in flight as it stands, at once. */
  leave(): void {
    this.#stopped = true;
    this.#cancel();
    this.#life.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#life.abort();
    await this.idle();
  }
}
