import type { ToolContext } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** A call that a server works on: what it asks meanwhile is asked on behalf of this call's session. */
export class RunningCall {
  readonly context: ToolContext;
  readonly #life = new AbortController();
  readonly #clock: Clock;
  readonly #silenceMs: number;
  #cancelTimer: () => void = () => undefined;
  #asking = 0;

  /** @param silenceMs - milliseconds without a word of the server's after which the call is given up */
  constructor(context: ToolContext, silenceMs: number) {
    this.context = context;
    this.#clock = context.clock;
    this.#silenceMs = silenceMs;
    this.alive();
  }

  /** Aborts when the turn ends, or when the server was silent for too long. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.context.signal, this.#life.signal]);
  }

  /** The server showed that it works. */
  alive(): void {
    this.#cancelTimer();
    if (this.#asking > 0 || this.#life.signal.aborted) return;
    const late = (): void =>
      this.#life.abort(
        new HostError(
          "timeout",
          `it did not answer within ${this.#silenceMs / 1000} s; the call was cancelled`,
        ),
      );
    this.#cancelTimer = this.#clock.after(this.#silenceMs, late);
  }

  /** While something is asked of this side, the server need not show anything. */
  async whileAsking<T>(work: () => Promise<T>): Promise<T> {
    this.#asking += 1;
    this.#cancelTimer();
    try {
      return await work();
    } finally {
      this.#asking -= 1;
      this.alive();
    }
  }

  /** Why it was given up; `undefined` when it was not, or not by this side's clock. */
  get late(): HostError | undefined {
    const { aborted } = this.#life.signal;
    const reason: unknown = this.#life.signal.reason;
    return aborted && reason instanceof HostError ? reason : undefined;
  }

  close(): void {
    this.#cancelTimer();
    this.#life.abort();
  }
}

/** The calls that run on one connection. */
export class RunningCalls {
  readonly #all = new Set<RunningCall>();
  readonly #idle = Promise.withResolvers<void>();
  #isLeaving = false;

  async run<T>(call: RunningCall, work: () => Promise<T>): Promise<T> {
    this.#all.add(call);
    try {
      return await work();
    } finally {
      call.close();
      this.#all.delete(call);
      if (this.#isLeaving && this.#all.size === 0) this.#idle.resolve();
    }
  }

  /** Resolves once no call runs; whether there was anything to wait for. */
  async idle(): Promise<boolean> {
    if (this.#all.size === 0) return false;
    this.#isLeaving = true;
    await this.#idle.promise;
    return true;
  }

  /**
   * The call that a server's question belongs to: the newest one of the only session that has calls here. With several
   * sessions nobody can tell whose question it is, and nobody must be asked another one's.
   */
  asked(): RunningCall | undefined {
    const all = [...this.#all];
    const newest = all.at(-1);
    return all.every(({ context }) => context.session.id === newest?.context.session.id) ? newest : undefined;
  }

  /** Absolute paths: the workspaces of the sessions whose calls run. */
  roots(): readonly string[] {
    return [...new Set([...this.#all].flatMap(({ context }) => context.session.roots))];
  }
}
