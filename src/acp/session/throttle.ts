import type { Clock } from "../../shared/async/clock.ts";

interface Entry<T> {
  sentAt: number;
  pending: T | undefined;
  cancelTimer: () => void;
}

/** A throttle that sends the newest value of each key, at most once in a while. The last value is late, never lost. */
export class Throttle<T extends object> {
  readonly #clock: Clock;
  readonly #every: number;
  readonly #send: (value: T) => void;
  readonly #entries = new Map<string, Entry<T>>();

  /** @param every - milliseconds */
  constructor(clock: Clock, every: number, send: (value: T) => void) {
    this.#clock = clock;
    this.#every = every;
    this.#send = send;
  }

  push(key: string, value: T): void {
    const entry = this.#entries.get(key) ?? { sentAt: -Infinity, pending: undefined, cancelTimer: nothing };
    this.#entries.set(key, entry);
    const isTimed = entry.pending !== undefined;
    const wait = entry.sentAt + this.#every - this.#clock.monotonic();
    if (wait <= 0) return this.#sendNow(entry, value);
    entry.pending = value;
    if (isTimed) return;
    entry.cancelTimer = this.#clock.after(wait, () => {
      if (entry.pending !== undefined) this.#sendNow(entry, entry.pending);
    });
  }

  /** Forgets a key: nothing more of it is sent. */
  drop(key: string): void {
    this.#entries.get(key)?.cancelTimer();
    this.#entries.delete(key);
  }

  close(): void {
    for (const key of this.#entries.keys()) this.drop(key);
  }

  #sendNow(entry: Entry<T>, value: T): void {
    entry.cancelTimer();
    entry.pending = undefined;
    entry.sentAt = this.#clock.monotonic();
    this.#send(value);
  }
}

const nothing = (): void => undefined;
