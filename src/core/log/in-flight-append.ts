import type { AppendPlan } from "./append-plan.ts";
import type { TextBatch } from "./streamed-text.ts";

/** An append on its way to the store. */
export interface InFlightAppend {
  readonly plan: AppendPlan;
  readonly text: TextBatch;
  /** Its text was shown ahead of it. */
  textIsShown: boolean;
  /** The fencing token with which it was sent. */
  readonly fence: number | undefined;
  readonly epoch: number;
}

/** An append that has begun. */
export interface BegunAppend {
  /** Resolves when a kill of this process does not lose its rows any more; `plannedState` has them. */
  readonly written: Promise<void>;
  /** Settles as what `transact` gives does. */
  readonly committed: Promise<void>;
}
