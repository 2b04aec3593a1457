import type { Clock } from "../../../shared/async/clock.ts";
import type { Proof } from "../config/credentials.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { Lane } from "./rate-limiter.ts";
import { RetryBudget } from "./retry-budget.ts";

/** The lanes of a process: one for each endpoint and key, however many providers and sessions use it. */
export class Governor {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Lane>();
  readonly #budgets = new Map<string, RetryBudget>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The lane of an endpoint with a key. Tokens change and the identity behind them does not: they share one. */
  lane(endpoint: Endpoint, proof: Proof | undefined): Lane {
    const { host, local } = endpoint;
    const key = JSON.stringify([host, proof?.kind ?? "none", proof?.kind === "key" ? proof.value : ""]);
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane = new Lane({ clock: this.#clock, name: host, local, budget: this.#budget(host) });
    this.#lanes.set(key, lane);
    return lane;
  }

  /** Whether one more try of a failed call is within the endpoint's budget; it is counted then. */
  mayRetry({ host }: Endpoint): boolean {
    return this.#budget(host).take();
  }

  #budget(host: string): RetryBudget {
    const budget = this.#budgets.get(host) ?? new RetryBudget();
    this.#budgets.set(host, budget);
    return budget;
  }
}
