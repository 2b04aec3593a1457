import { addAbortListener } from "node:events";
import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { FairQueue, type QueuedRequest } from "./fair-queue.ts";
import { limitsInHeaders } from "./limit-headers.ts";
import type { RetryBudget } from "./retry-budget.ts";

/** A permit to make one request; its holder reports the outcome. */
export interface RequestPermit {
  readonly answered: (header: (name: string) => string | undefined) => void;
  /** Ends the request, with its error if it failed. Only the first report counts. */
  readonly done: (error?: unknown) => void;
}

/** The endpoint of a rate limiter, and what the limiter shares with others. */
export interface RateLimiterOptions {
  readonly clock: Clock;
  /** The endpoint's name, for messages. */
  readonly name: string;
  /** The endpoint is on this machine or its network, and queues requests by itself. */
  readonly local: boolean;
  readonly budget: RetryBudget;
  /** Told of each request before it waits, and of each setback that this limiter met itself. */
  readonly observer?: LimiterObserver;
}

/** An observer of a rate limiter, which tells other hosts. */
export interface LimiterObserver {
  used(): void;
  metSetback(): void;
}

/** A refusal that stops all requests for a time. */
export interface Setback {
  /** Rises with each one that a limiter meets. */
  readonly number: number;
  /** On the monotonic scale. */
  readonly until: number;
  /** Requests at once up to which it goes fast again. */
  readonly threshold: number;
  /** The words of the endpoint for a key without credit. */
  readonly noCredit?: string;
}

/** A request that would wait longer fails at once. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** The longest pause that an endpoint can ask for; a longer one may be a mistake. */
const LONGEST_PAUSE_MS = 60 * 60_000;
/** A key without credit is tried again after this time. */
const NO_CREDIT_MS = 60_000;
/** Requests that may wait for the beginning of their answers at the same time, before the first answer. */
const FIRST_WINDOW = 16;
const LARGEST_WINDOW = 1024;
/** The pause after a refusal that names none; it doubles with each further refusal. */
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 60_000;

/**
 * Rate limiter of all sessions of this process for one endpoint with one key. While the endpoint says "slow down" no
 * request is sent; afterwards a few go out at a time, more with every good answer, in turn between sessions. Requests
 * with a key without credit fail at once for a minute. Only a request that waits for the beginning of its answer counts
 * as pending: long answers hold up no one. What it learns is the limit of all hosts that share it; this one takes its part.
 */
export class RateLimiter {
  readonly #clock: Clock;
  /** The endpoint's host. */
  readonly name: string;
  readonly #queue = new FairQueue();
  readonly #refused = new Set<string>();
  readonly #budget: RetryBudget;
  readonly #observer: LimiterObserver | undefined;
  /** Hosts that make requests here, this one too. */
  #hosts = 1;
  /** Of all hosts together. */
  #window: number;
  /** Below it the window grows by one with every good answer, above it with every full window of them. */
  #threshold = LARGEST_WINDOW;
  #pending = 0;
  /** Good answers since the last pause. */
  #served = 0;
  /** On the monotonic scale. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  /** Requests that the endpoint still allows until the reset. */
  #remaining: { count: number; readonly until: number } | undefined;
  #noCredit: { readonly error: HostError; readonly until: number } | undefined;
  #setback: Setback | undefined;
  #isProven = false;
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, name, local, budget, observer }: RateLimiterOptions) {
    this.#clock = clock;
    this.name = name;
    this.#budget = budget;
    this.#observer = observer;
    this.#window = local ? LARGEST_WINDOW : FIRST_WINDOW;
  }

  /** Milliseconds until the endpoint allows the next request; 0 for now. */
  get waitMs(): number {
    const now = this.#clock.monotonic();
    const used = this.#remaining !== undefined && this.#remaining.count <= 0 ? this.#remaining.until : now;
    return Math.max(0, this.#pausedUntil - now, used - now);
  }

  /** Requests of this host that may wait for the beginning of their answers at the same time, as the answers have shown. */
  get atOnce(): number {
    return Math.max(1, this.#window / this.#hosts);
  }

  /** The same of all hosts together. */
  get window(): number {
    return this.#window;
  }

  /** The last setback that this limiter met itself. */
  get setback(): Setback | undefined {
    return this.#setback;
  }

  /**
   * Takes the part of one among so many hosts.
   *
   * @param window - as others have learnt it; it counts until this host has an answer of its own
   */
  share(hosts: number, window?: number): void {
    this.#hosts = Math.max(1, hosts);
    if (window !== undefined && !this.#isProven) this.#window = Math.min(LARGEST_WINDOW, window);
    this.#startWaiting();
  }

  /** Keeps to a setback that another host met. */
  heed({ until, threshold, noCredit }: Setback): void {
    const now = this.#clock.monotonic();
    const end = Math.min(until, now + LONGEST_PAUSE_MS);
    if (end <= now) return;
    if (noCredit !== undefined) {
      const error = new HostError("provider_quota", noCredit);
      this.#noCredit = { error, until: Math.min(end, now + NO_CREDIT_MS) };
      return;
    }
    this.#isProven = true;
    this.#threshold = this.#pausedUntil > now ? Math.min(this.#threshold, threshold) : threshold;
    this.#pause(end);
    this.#startWaiting();
  }

  /**
   * Waits for the permit to make a request.
   *
   * @param session - the session of the request
   * @throws HostError `provider_quota` for a key without credit, `provider_rate_limit` when the wait would be longer
   *   than 5 minutes; the signal's reason when it aborts
   */
  async acquire(session: string, signal: AbortSignal): Promise<RequestPermit> {
    signal.throwIfAborted();
    this.#observer?.used();
    this.#check();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let started = false;
    const start = (): void => {
      started = true;
      resolve();
    };
    const queued: QueuedRequest = { session, start };
    this.#queue.add(queued, { first: this.#refused.delete(session) });
    this.#startWaiting();
    if (!started) {
      const giveUp = (): void => {
        this.#queue.remove(queued);
        reject(signal.reason);
      };
      using listening = new DisposableStack();
      listening.use(addAbortListener(signal, giveUp));
      await promise;
    }
    const permit = this.#permit(session);
    try {
      // The key may have run out of credit while other requests went first.
      this.#checkCredit();
    } catch (thrown) {
      permit.done();
      throw thrown;
    }
    return permit;
  }

  #check(): void {
    this.#checkCredit();
    const { waitMs } = this;
    if (waitMs <= LONGEST_WAIT_MS) return;
    const message = `${this.name} takes no requests for another ${Math.ceil(waitMs / 1000)} s. Try again then, or switch the model with /model.`;
    throw new HostError("provider_rate_limit", message, { details: { retryAfterMs: waitMs } });
  }

  #checkCredit(): void {
    if (this.#noCredit !== undefined && this.#clock.monotonic() < this.#noCredit.until)
      throw this.#noCredit.error;
  }

  #permit(session: string): RequestPermit {
    let over = false;
    const finish = (): boolean => {
      if (over) return false;
      over = true;
      this.#pending -= 1;
      return true;
    };
    return {
      answered: (header) => {
        if (!finish()) return;
        this.#succeed(header);
        this.#startWaiting();
      },
      done: (error) => {
        if (!finish()) return;
        if (error instanceof HostError) this.#fail(error, session);
        this.#startWaiting();
      },
    };
  }

  #succeed(header: (name: string) => string | undefined): void {
    this.#refusals = 0;
    this.#served += 1;
    this.#isProven = true;
    this.#noCredit = undefined;
    this.#budget.earn();
    // The other hosts get answers too.
    const growth = this.#hosts * (this.#window < this.#threshold ? 1 : 1 / this.#window);
    this.#window = Math.min(LARGEST_WINDOW, this.#window + growth);
    const limits = limitsInHeaders(header, this.#clock.now());
    if (limits === undefined) return;
    // The endpoint may not have counted the pending requests yet.
    const left = limits.remaining - this.#pending;
    const count = left < 1 ? left : Math.max(1, Math.floor(left / this.#hosts));
    const resetMs = Math.min(LONGEST_PAUSE_MS, limits.resetMs);
    this.#remaining = { count, until: this.#clock.monotonic() + resetMs };
  }

  #fail(error: HostError, session: string): void {
    const now = this.#clock.monotonic();
    if (error.code === "provider_quota") {
      const until = now + NO_CREDIT_MS;
      this.#noCredit = { error, until };
      return this.#met({ until, threshold: this.#threshold, noCredit: error.message });
    }
    const { retryAfterMs } = error.details;
    const isLimit = error.code === "provider_rate_limit";
    if (!isLimit && !(error.code === "provider_overloaded" && retryAfterMs !== undefined)) return;
    // Requests that were pending together are refused together: that counts as one refusal.
    if (this.#pausedUntil <= now) {
      this.#threshold = Math.max(1, Math.min(this.#window, this.#served * this.#hosts) / 2);
      this.#refusals += 1;
    }
    const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.#refusals - 1));
    const pause = Math.min(LONGEST_PAUSE_MS, retryAfterMs ?? backoff);
    const isLonger = now + pause > this.#pausedUntil;
    this.#isProven = true;
    this.#pause(now + pause);
    if (isLimit) this.#refused.add(session);
    if (isLonger) this.#met({ until: this.#pausedUntil, threshold: this.#threshold });
  }

  /** Stops all requests until then; afterwards few go at a time. */
  #pause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#window = 1;
    this.#served = 0;
  }

  #met(setback: Omit<Setback, "number">): void {
    this.#setback = { ...setback, number: (this.#setback?.number ?? 0) + 1 };
    this.#observer?.metSetback();
  }

  /** Starts the requests that may go now, and sets a timer for the others. */
  #startWaiting(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const now = this.#clock.monotonic();
    if (this.#remaining !== undefined && this.#remaining.until <= now) this.#remaining = undefined;
    while (!this.#queue.isEmpty && this.waitMs === 0 && this.#pending < Math.floor(this.atOnce)) {
      this.#pending += 1;
      if (this.#remaining !== undefined) this.#remaining.count -= 1;
      this.#queue.take()?.start();
    }
    const { waitMs } = this;
    if (!this.#queue.isEmpty && waitMs > 0)
      this.#cancelTimer = this.#clock.after(waitMs, () => this.#startWaiting(), true);
  }
}
