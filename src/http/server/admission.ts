import { draining, tooManyRuns } from "./http-error.ts";

/** A counter of the work that a server has taken on, which refuses more than it may have. */
export class AdmissionControl {
  readonly #limit: number;
  #running = 0;
  #draining = false;

  /** @param limit - pieces of work at a time; 0 is any number */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Refuses all new work from now on. */
  drain(): void {
    this.#draining = true;
  }

  /** @throws HttpError 503 `gateway_draining` */
  checkOpen(): void {
    if (this.#draining) throw draining();
  }

  /** @throws HttpError 429 `rate_limit_exceeded`, 503 `gateway_draining` */
  check(): void {
    this.checkOpen();
    if (this.#limit > 0 && this.#running >= this.#limit) throw tooManyRuns(this.#limit);
  }

  /**
   * Takes on work that ends when the returned function is called.
   *
   * @param counted - refuse when there is no room; `false` only counts
   */
  enter(counted = true): () => void {
    if (counted) this.check();
    else this.checkOpen();
    this.#running += 1;
    let over = false;
    return () => {
      if (!over) this.#running -= 1;
      over = true;
    };
  }
}
