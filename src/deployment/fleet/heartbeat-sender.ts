import type { Clock } from "../../shared/async/clock.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";

/** The options of a heartbeat sender. */
export interface HeartbeatSenderOptions {
  readonly clock: Clock;
  /** Sends one heartbeat. @throws HostError when the panel did not take it */
  readonly send: (signal: AbortSignal) => Promise<void>;
  readonly report: (error: HostError) => void;
  /** Milliseconds between two heartbeats; a minute by default. */
  readonly everyMs?: number;
}

const MINUTE = 60_000;

/** A sender of heartbeats: it reports this instance again and again, until it is disposed of. */
export class HeartbeatSender implements AsyncDisposable {
  readonly #options: HeartbeatSenderOptions;
  readonly #life = new AbortController();
  #sending: Promise<void> = Promise.resolve();
  #cancel: () => void = () => undefined;
  #failing = false;

  constructor(options: HeartbeatSenderOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, everyMs = MINUTE } = this.#options;
    this.#sending = this.#beat().finally(() => {
      if (!this.#life.signal.aborted) this.#cancel = clock.after(everyMs, () => this.start());
    });
  }

  /** Resolves when the heartbeat on its way is over. */
  idle(): Promise<void> {
    return this.#sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort();
    this.#cancel();
    await this.#sending;
  }

  /** Reports only the first of several failures in a row. */
  async #beat(): Promise<void> {
    try {
      await this.#options.send(this.#life.signal);
      this.#failing = false;
    } catch (thrown) {
      if (!this.#failing && !this.#life.signal.aborted) this.#options.report(toHostError(thrown));
      this.#failing = true;
    }
  }
}
