import { waitAtMost } from "../../shared/async/deadline.ts";
import type { ModelListing, Models } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";

/** Milliseconds after which the list is fetched again. */
const FRESH_MS = 60_000;
/** Milliseconds that a new session waits for the list. */
const PATIENCE_MS = 10;

/** The models that can be chosen. They are fetched in the background: endpoints may take seconds to list them. */
export class ModelList {
  readonly #models: () => Models;
  readonly #clock: Clock;
  readonly #life: AbortSignal;
  readonly #changed: () => void;
  #listing: readonly ModelListing[] = [];
  #fetching: Promise<void> | undefined;
  #fetchedAt = -Infinity;

  /** @param changed - called when a newer list differs */
  constructor(
    models: () => Models,
    {
      clock,
      life,
      changed,
    }: { readonly clock: Clock; readonly life: AbortSignal; readonly changed: () => void },
  ) {
    this.#models = models;
    this.#clock = clock;
    this.#life = life;
    this.#changed = changed;
  }

  /** The list as it is known now. */
  get now(): readonly ModelListing[] {
    return this.#listing;
  }

  /** Fetches the list unless that happened lately, and waits for it a moment. */
  async soon(): Promise<void> {
    if (this.#fetching === undefined && this.#clock.monotonic() - this.#fetchedAt < FRESH_MS) return;
    const fetching = (this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    }));
    await waitAtMost({ clock: this.#clock, ms: PATIENCE_MS, signal: this.#life }, () => fetching);
  }

  async #fetch(): Promise<void> {
    try {
      const listing = await this.#models().list(this.#life);
      this.#fetchedAt = this.#clock.monotonic();
      if (JSON.stringify(listing) === JSON.stringify(this.#listing)) return;
      this.#listing = listing;
      this.#changed();
    } catch {
      // A session without a list can still name its model; the next session fetches again.
    }
  }
}
