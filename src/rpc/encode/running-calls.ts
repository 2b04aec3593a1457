import { decodeRow, type DurableEvent, type Session, type Store } from "../../core/index.ts";

/** Rows of a first look back; what runs has mostly begun just before. */
const FIRST_ROWS = 16;
const MOST_ROWS = 256;

/** The arguments of calls, by call. */
export type CallInputs = Map<string, Readonly<Record<string, unknown>>>;

/** The calls that ran at a cursor, read back from the log to the reply that made them. */
export async function runningCalls(store: Store, { id }: Session, cursor: number): Promise<CallInputs> {
  const running: CallInputs = new Map();
  const over = new Set<string>();
  let limit = FIRST_ROWS;
  for (let before = cursor + 1; before > 1; limit = MOST_ROWS) {
    const rows = await store.readBefore(id, before, limit);
    for (const row of rows.toReversed()) {
      if (!TELLING.has(row.type)) continue;
      const { event } = decodeRow(row);
      if (event.type === "tool.complete") over.add(event.callId);
      else if (event.type !== "tool.start") return running;
      else if (!over.has(event.callId)) running.set(event.callId, event.input);
    }
    before = rows[0]?.seq ?? 0;
  }
  return running;
}

/** No call that runs is older than the newest reply, or than its turn. */
const TELLING: ReadonlySet<string> = new Set([
  "tool.start",
  "tool.complete",
  "reply.complete",
  "turn.start",
  "turn.end",
] satisfies DurableEvent["type"][]);
