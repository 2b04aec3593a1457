/** A tenth of the good answers may be spent on second tries. */
const SHARE = 0.1;
/** What there is before anything was earned, and the most that is kept for bad times. */
const FIRST = 10;
const MOST = 100;

/** Bounds second tries to a share of the traffic, so that those who fail together do not make it worse. */
export class RetryBudget {
  #left = FIRST;

  /** A request was answered well. */
  earn(): void {
    this.#left = Math.min(MOST, this.#left + SHARE);
  }

  /** Spends one try if there is one. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
