import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { FairQueue, type Waiter } from "./fair-queue.ts";
import { limitsInHeaders } from "./limit-headers.ts";
import type { RetryBudget } from "./retry-budget.ts";

/** Leave to make one request; whoever has it says how that went. */
export interface Permit {
  /** The endpoint answered well. */
  answered(header: (name: string) => string | undefined): void;
  /** The request is over, with this error if it failed. Later words count for nothing. */
  done(error?: unknown): void;
}

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** The endpoint's, for messages. */
  readonly name: string;
  /** It is on this machine or its network, and queues requests by itself. */
  readonly local: boolean;
  /** Where good answers are counted. */
  readonly budget: RetryBudget;
}

/** Who waits behind a longer time than this is told so instead. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** No word of an endpoint closes the way for longer: it may have been a mistake. */
const LONGEST_CLOSED_MS = 60 * 60_000;
/** A key without money is tried again after this. */
const NO_MONEY_MS = 60_000;
/** Requests that may wait for their first answer at once, before anything is known. */
const FIRST_WINDOW = 16;
const LARGEST_WINDOW = 1024;
/** The wait after a refusal that names none; it doubles with each in a row. */
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 60_000;

/**
 * The way of all sessions of this process to one endpoint with one key. While the endpoint says "slow down" nobody
 * sends; afterwards requests go out a few at a time, more with every good answer, in turn between sessions. A key
 * without money fails at once for a minute. Only what waits for the beginning of its answer counts as under way.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #name: string;
  readonly #queue = new FairQueue();
  readonly #refused = new Set<string>();
  readonly #budget: RetryBudget;
  #window: number;
  /** Up to here the window grows with every good answer, beyond it with every window full of them. */
  #threshold = LARGEST_WINDOW;
  #underWay = 0;
  /** Good answers since the way was opened last. */
  #served = 0;
  /** On the monotonic scale. */
  #closedUntil = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  /** Requests that may still be made until the reset, as the endpoint said. */
  #remaining: { count: number; readonly until: number } | undefined;
  #noMoney: { readonly error: HostError; readonly until: number } | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, name, local, budget }: RateLimiterOptions) {
    this.#clock = clock;
    this.#name = name;
    this.#budget = budget;
    this.#window = local ? LARGEST_WINDOW : FIRST_WINDOW;
  }

  /** Milliseconds until the next request may be made, as far as the endpoint said; 0 for now. */
  get waitMs(): number {
    const now = this.#clock.monotonic();
    const used = this.#remaining !== undefined && this.#remaining.count <= 0 ? this.#remaining.until : now;
    return Math.max(0, this.#closedUntil - now, used - now);
  }

  /**
   * Waits for leave to make a request.
   *
   * @param session - whose request it is
   * @throws HostError `provider_quota` for a key without money, `provider_rate_limit` when the wait would be longer
   *   than 5 minutes; the signal's reason when it aborts
   */
  async acquire(session: string, signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted();
    this.#check();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { session, go: resolve };
    const leave = (): void => {
      this.#queue.remove(waiter);
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#queue.add(waiter, { first: this.#refused.delete(session) });
    this.#pump();
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
    const permit = this.#permit(session);
    try {
      // The key may have run out of money while others went first.
      this.#checkMoney();
    } catch (thrown) {
      permit.done();
      throw thrown;
    }
    return permit;
  }

  #check(): void {
    this.#checkMoney();
    const { waitMs } = this;
    if (waitMs <= LONGEST_WAIT_MS) return;
    const message = `${this.#name} takes no requests for another ${Math.ceil(waitMs / 1000)} s. Try again then, or switch the model with /model.`;
    throw new HostError("provider_rate_limit", message, { details: { retryAfterMs: waitMs } });
  }

  #checkMoney(): void {
    if (this.#noMoney !== undefined && this.#clock.monotonic() < this.#noMoney.until)
      throw this.#noMoney.error;
  }

  #permit(session: string): Permit {
    let over = false;
    const finish = (): boolean => {
      if (over) return false;
      over = true;
      this.#underWay -= 1;
      return true;
    };
    return {
      answered: (header) => {
        if (!finish()) return;
        this.#succeed(header);
        this.#pump();
      },
      done: (error) => {
        if (!finish()) return;
        if (error instanceof HostError) this.#fail(error, session);
        this.#pump();
      },
    };
  }

  #succeed(header: (name: string) => string | undefined): void {
    this.#refusals = 0;
    this.#served += 1;
    this.#noMoney = undefined;
    this.#budget.earn();
    const growth = this.#window < this.#threshold ? 1 : 1 / this.#window;
    this.#window = Math.min(LARGEST_WINDOW, this.#window + growth);
    const limits = limitsInHeaders(header, this.#clock.now());
    if (limits === undefined) return;
    // What is under way may not be counted yet.
    const count = limits.remaining - this.#underWay;
    const resetMs = Math.min(LONGEST_CLOSED_MS, limits.resetMs);
    this.#remaining = { count, until: this.#clock.monotonic() + resetMs };
  }

  #fail(error: HostError, session: string): void {
    const now = this.#clock.monotonic();
    if (error.code === "provider_quota") {
      this.#noMoney = { error, until: now + NO_MONEY_MS };
      return;
    }
    const { retryAfterMs } = error.details;
    const isLimit = error.code === "provider_rate_limit";
    if (!isLimit && !(error.code === "provider_overloaded" && retryAfterMs !== undefined)) return;
    // Several that were under way together are refused together: that is one refusal.
    if (this.#closedUntil <= now) {
      this.#threshold = Math.max(1, Math.min(this.#window, this.#served) / 2);
      this.#served = 0;
      this.#refusals += 1;
    }
    this.#window = 1;
    const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.#refusals - 1));
    const pause = Math.min(LONGEST_CLOSED_MS, retryAfterMs ?? backoff);
    this.#closedUntil = Math.max(this.#closedUntil, now + pause);
    if (isLimit) this.#refused.add(session);
  }

  /** Lets go whoever may go now, and sets a timer for the others. */
  #pump(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const now = this.#clock.monotonic();
    if (this.#remaining !== undefined && this.#remaining.until <= now) this.#remaining = undefined;
    while (this.#queue.size > 0 && this.waitMs === 0 && this.#underWay < Math.floor(this.#window)) {
      this.#underWay += 1;
      if (this.#remaining !== undefined) this.#remaining.count -= 1;
      this.#queue.take()?.go();
    }
    const { waitMs } = this;
    if (this.#queue.size > 0 && waitMs > 0)
      this.#cancelTimer = this.#clock.after(waitMs, () => this.#pump(), true);
  }
}
