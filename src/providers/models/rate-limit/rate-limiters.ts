import type { Clock } from "../../../shared/async/clock.ts";
import type { Credential } from "../endpoint/credential.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { RetryBudget } from "./retry-budget.ts";

/** The limit of an endpoint, as its answers have shown. */
export interface LearnedLimit {
  /** Milliseconds until it allows the next request; 0 for now. */
  readonly waitMs: number;
  /** Requests of this host that may wait for the beginning of their answers at the same time. */
  readonly atOnce: number;
}

/** An observer of all limiters, each under the key of its endpoint and credential. */
export interface LimitsObserver {
  /** A request is about to be made. */
  used(key: string, limiter: RateLimiter): void;
  /** The endpoint refused, so that all requests stop for a time. */
  metSetback(key: string): void;
}

/** The rate limiters of a process: one for each endpoint and key, however many providers and sessions use it. */
export class RateLimiters {
  readonly #clock: Clock;
  readonly #limiters = new Map<string, RateLimiter>();
  readonly #budgets = new Map<string, RetryBudget>();
  #observer: LimitsObserver | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells somebody of all limiters, also of those that come later. */
  observe(observer: LimitsObserver): void {
    this.#observer = observer;
  }

  /** The limiter of an endpoint with a key. Tokens change and the identity behind them does not: they share one. */
  limiter(endpoint: Endpoint, credential: Credential | undefined): RateLimiter {
    const { host, local } = endpoint;
    const key = JSON.stringify([
      host,
      credential?.kind ?? "none",
      credential?.kind === "key" ? credential.value : "",
    ]);
    const known = this.#limiters.get(key);
    if (known !== undefined) return known;
    const observer = {
      used: () => this.#observer?.used(key, limiter),
      metSetback: () => this.#observer?.metSetback(key),
    };
    const budget = this.#budget(host);
    const limiter = new RateLimiter({ clock: this.#clock, name: host, local, budget, observer });
    this.#limiters.set(key, limiter);
    return limiter;
  }

  /** The limit of a host as far as it is known, of the key that has to wait longest; `undefined` before it was asked. */
  limitOf(host: string): LearnedLimit | undefined {
    const [longest] = [...this.#limiters]
      .flatMap(([key, { waitMs, atOnce }]) => (hostIn(key) === host ? [{ waitMs, atOnce }] : []))
      .toSorted((a, b) => b.waitMs - a.waitMs);
    return longest;
  }

  /** Takes one retry out of the endpoint's budget. `false` when none is left. */
  mayRetry({ host }: Endpoint): boolean {
    return this.#budget(host).take();
  }

  #budget(host: string): RetryBudget {
    const budget = this.#budgets.get(host) ?? new RetryBudget();
    this.#budgets.set(host, budget);
    return budget;
  }
}

// The keys are made above.
const hostIn = (key: string): unknown => (JSON.parse(key) as readonly unknown[])[0];
