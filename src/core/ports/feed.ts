import type { DurableEvent } from "../events/events.ts";
import type { StoredRow } from "./stored-row.ts";

/** The types of rows in a home's feed: those that say how sessions begin, end a turn, ask, and are answered. */
export const FEED_TYPES = [
  "session.start",
  "session.branch",
  "session.import",
  "turn.end",
  "approval.request",
  "clarify.request",
  "sudo.request",
  "secret.request",
  "approval.resolved",
  "clarify.resolved",
  "sudo.resolved",
  "secret.resolved",
] as const satisfies readonly DurableEvent["type"][];

/** A row of some session, at its place in the order in which the rows of a home were committed. */
export interface FeedRow {
  readonly position: number;
  readonly session: string;
  readonly row: StoredRow;
}

/**
 * A part of a home's feed: rows of `FEED_TYPES` of all sessions. What a session copied from another one, or was given as
 * its past, happened elsewhere and is not in it; nor are rows of sessions that were removed.
 */
export interface FeedPage {
  /** Oldest first. */
  readonly rows: readonly FeedRow[];
  /** Where the next page begins; it rises also past rows that are left out. */
  readonly next: number;
}
