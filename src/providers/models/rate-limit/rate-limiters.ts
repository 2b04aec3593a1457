import type { Clock } from "../../../shared/async/clock.ts";
import type { Credential } from "../endpoint/credential.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { RetryBudget } from "./retry-budget.ts";

/** The rate limiters of a process: one for each endpoint and key, however many providers and sessions use it. */
export class RateLimiters {
  readonly #clock: Clock;
  readonly #limiters = new Map<string, RateLimiter>();
  readonly #budgets = new Map<string, RetryBudget>();

  constructor(clock: Clock) {
    this.#clock = clock;
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
    const limiter = new RateLimiter({ clock: this.#clock, name: host, local, budget: this.#budget(host) });
    this.#limiters.set(key, limiter);
    return limiter;
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
