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
