import type { DurableEvent, StoredRow } from "../../../src/core/index.ts";

/** A row of a final log with its event. */
export interface LogRow {
  readonly n: number;
  readonly seq: number;
  readonly event: DurableEvent;
}

/** The rows of a final log with their events. */
export const logRows = (rows: readonly StoredRow[]): readonly LogRow[] =>
  // The log's codec wrote the bodies.
  rows.map(({ n, seq, body }) => ({ n, seq, event: JSON.parse(body) as DurableEvent }));
