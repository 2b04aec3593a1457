import { waitAtMost } from "../../shared/async/deadline.ts";
import type { ModelListing, Models } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";

/** Milliseconds after which the list is fetched again. */
const FRESH_MS = 60_000;
/** Milliseconds that a new session waits for the list. */
const PATIENCE_MS = 10;

interface ListPorts {
  readonly models: () => Models;
  readonly clock: Clock;
  /** Ends the fetching. */
  readonly life: AbortSignal;
  /** Called when a newer list differs. */
  readonly changed: () => void;
}

/** The models that can be chosen. They are fetched in the background: endpoints may take seconds to list them. */
export class ModelList {
  readonly #ports: ListPorts;
  #listing: readonly ModelListing[] = [];
  #fetching: Promise<void> | undefined;
  #fetchedAt = -Infinity;

  constructor(ports: ListPorts) {
    this.#ports = ports;
  }

  /** The list as it is known now. */
  get now(): readonly ModelListing[] {
    return this.#listing;
  }

  /** Fetches the list unless that happened lately, and waits for it a moment. */
  async soon(): Promise<void> {
    if (this.#fetching === undefined && this.#ports.clock.monotonic() - this.#fetchedAt < FRESH_MS) return;
    const fetching = (this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    }));
    await waitAtMost({ clock: this.#ports.clock, ms: PATIENCE_MS, signal: this.#ports.life }, () => fetching);
  }

  async #fetch(): Promise<void> {
    try {
      const listing = await this.#ports.models().list(this.#ports.life);
      this.#fetchedAt = this.#ports.clock.monotonic();
      if (JSON.stringify(listing) === JSON.stringify(this.#listing)) return;
      this.#listing = listing;
      this.#ports.changed();
    } catch {
      // A session without a list can still name its model; the next session fetches again.
    }
  }
}
