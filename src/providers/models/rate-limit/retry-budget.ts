/** The part of a retry that one good answer earns. */
const SHARE = 0.1;
/** The retries at the start, and the most that can be saved. */
const FIRST = 10;
const MOST = 100;

/** A budget that bounds retries to a share of the traffic, so that sessions that fail together do not make it worse. */
export class RetryBudget {
  #left = FIRST;

  earn(): void {
    this.#left = Math.min(MOST, this.#left + SHARE);
  }

  /** Spends one retry. `false` when none is left. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
