import type { Wire } from "../wire.ts";

/** Bytes that wait for the other side before its requests have to wait too, and before it is let go of. */
const PAUSE_AT = 8 * 1024 * 1024;
const CLOSE_AT = 128 * 1024 * 1024;
/** Requests that may run at once before further ones wait unread. */
const BUSY_AT = 1000;

/**
 * The flow control of one connection. A client that does not read makes its own requests wait; one that does not read
 * for so long that the responses fill the memory is let go of.
 */
export class FlowControl {
  readonly #wire: Wire;
  #waiting = 0;
  #running = 0;
  #paused = false;
  #over = false;
  #waitingForAnswers: (() => void)[] = [];

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Resolves when the message is taken, or the connection is over. */
  async send(message: string): Promise<void> {
    if (this.#over) return;
    this.#waiting += message.length;
    if (this.#waiting > CLOSE_AT && this.#waiting > message.length) {
      this.close(1008, "The client does not read what it asked for.");
      return;
    }
    this.#balance();
    await this.#wire.send(message);
    this.#waiting -= message.length;
    this.#balance();
  }

  /** A request began, or is answered. */
  working(change: 1 | -1): void {
    this.#running += change;
    if (this.#running === 0) this.#allAnswered();
    this.#balance();
  }

  /** Resolves when no request runs, or the connection is over. */
  answered(): Promise<void> {
    if (this.#running === 0 || this.#over) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waitingForAnswers.push(resolve);
    return promise;
  }

  close(code: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#wire.close(code, reason);
  }

  /** The connection is over: nothing is sent any more. */
  end(): void {
    this.#over = true;
    this.#allAnswered();
  }

  #allAnswered(): void {
    const waiting = this.#waitingForAnswers;
    this.#waitingForAnswers = [];
    for (const go of waiting) go();
  }

  #balance(): void {
    const full = this.#waiting > PAUSE_AT || this.#running > BUSY_AT;
    if (full === this.#paused || this.#over) return;
    this.#paused = full;
    if (full) this.#wire.pause();
    else this.#wire.resume();
  }
}
