import { draining, tooManyRuns } from "./http-error.ts";

/** A counter of the work that a server has taken on, which lets some wait and refuses more than it may have. */
export class AdmissionControl {
  readonly #limit: number;
  readonly #places: number;
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #running = 0;
  #draining = false;

  /**
   * @param limit - pieces of work at a time; 0 is any number
   * @param places - for pieces of work that wait until there is room, in the order in which they came
   */
  constructor(limit: number, places: number) {
    this.#limit = limit;
    this.#places = places;
  }

  get running(): number {
    return this.#running;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Refuses all new work from now on, and what waits. */
  drain(): void {
    this.#draining = true;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(draining());
  }

  /** @throws HttpError 503 `gateway_draining` */
  checkOpen(): void {
    if (this.#draining) throw draining();
  }

  /** @throws HttpError 429 `rate_limit_exceeded` when no more may wait, 503 `gateway_draining` */
  check(): void {
    this.checkOpen();
    if (!this.#hasRoom() && this.#waiting.length >= this.#places) throw tooManyRuns(this.#limit);
  }

  /**
   * Takes on work that ends when the returned function is called. Resolves when there is room for it.
   *
   * @param counted - wait, or refuse, when there is no room; `false` only counts
   */
  async enter(counted = true): Promise<() => void> {
    if (counted) this.check();
    else this.checkOpen();
    if (counted && !this.#hasRoom()) {
      const waiting = Promise.withResolvers<void>();
      this.#waiting.push(waiting);
      // Whoever leaves hands over the place.
      await waiting.promise;
    } else this.#running += 1;
    let over = false;
    return () => {
      if (!over) this.#leave();
      over = true;
    };
  }

  #hasRoom(): boolean {
    return this.#limit === 0 || this.#running < this.#limit;
  }

  #leave(): void {
    this.#running -= 1;
    if (!this.#hasRoom()) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#running += 1;
    next.resolve();
  }
}
