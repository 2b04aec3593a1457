import type { Owner } from "../../core/index.ts";

/** A process that holds sessions of a home. */
export interface HomeProcess extends Owner {
  /** The ids of the sessions that it drives. */
  readonly sessions: readonly string[];
  /** Its process id means nothing here: it runs on another machine or in another container. */
  readonly isRemote: boolean;
}
