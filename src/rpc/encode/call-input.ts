import { decodeRow, type SessionEvent, type Store } from "../../core/index.ts";

const PAGE_ROWS = 50;
/** A call that began longer ago than this many rows is shown without its arguments. */
const MOST_PAGES = 20;

/** The arguments of a call whose start the reader has not seen, looked up in the log. */
export async function callInput(
  store: Store,
  sessionId: string,
  { callId, seq }: Extract<SessionEvent, { type: "tool.complete" }>,
): Promise<Readonly<Record<string, unknown>>> {
  for (let before = seq, page = 0; page < MOST_PAGES; page += 1) {
    const rows = await store.readBefore(sessionId, before, PAGE_ROWS);
    for (const row of rows.toReversed()) {
      if (row.type !== "tool.start") continue;
      const { event } = decodeRow(row);
      if (event.type === "tool.start" && event.callId === callId) return event.input;
    }
    const oldest = rows[0];
    if (oldest === undefined) break;
    before = oldest.seq;
  }
  return {};
}
