import type { Row } from "../events/events.ts";
import { decodeRow } from "../log/row-codec.ts";
import type { Store } from "../ports/store.ts";
import type { SessionState } from "../state/state.ts";
import type { TurnTimeline } from "./spans.ts";
import { turnTimelines } from "./turn-timeline.ts";

const PAGE_ROWS = 500;

/** The turns that are read. */
export interface TimelineQuery {
  readonly limit: number;
  /** Only those that began before this cursor. */
  readonly before?: number;
  /** Unix milliseconds; how far a turn got that has not ended. */
  readonly now: number;
}

/** A part of a session's turns. */
export interface TimelinePage {
  /** Oldest first. */
  readonly turns: readonly TurnTimeline[];
  /** Pass it as `before` for the page before this one; absent at the beginning. */
  readonly before?: number;
}

/** Reads where the time of a session's newest turns went. */
export async function readTimeline(
  store: Pick<Store, "readBefore">,
  { id, state }: { readonly id: string; readonly state: SessionState },
  { limit, before = state.seq + 1, now }: TimelineQuery,
): Promise<TimelinePage> {
  const pages: (readonly Row[])[] = [];
  let begun = 0;
  // One more than is wanted: a prompt that was queued was so while the turn before it ran.
  for (let cursor = before; cursor > 1 && begun <= limit;) {
    const page = (await store.readBefore(id, cursor, PAGE_ROWS)).map(decodeRow);
    if (page.length === 0) break;
    pages.unshift(page);
    begun += page.filter(({ event }) => event.type === "turn.start").length;
    cursor = page[0]?.seq ?? 0;
    if (page.length < PAGE_ROWS) break;
  }
  const all = turnTimelines(pages.flat(), { undone: state.undone, running: state.turn?.turnId, now });
  const turns = all.slice(-limit);
  const first = turns[0];
  return first !== undefined && all.length > turns.length ? { turns, before: first.seq } : { turns };
}
