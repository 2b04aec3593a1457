import type { Entry } from "./live-session.ts";
import type { TurnTimeline } from "./timeline.ts";

/** A row of the session's page: a line of the conversation, or the time line that ends a turn. */
export type SessionRow =
  | { readonly key: string; readonly entry: Entry }
  | { readonly key: string; readonly turn: TurnTimeline };

/** Lays the time line of each turn behind its last entry. */
export function rowsOf(entries: readonly Entry[], turns: readonly TurnTimeline[]): readonly SessionRow[] {
  const byRow = new Map(turns.map((turn) => [turn.row_id, turn]));
  const byId = new Map(turns.map((turn) => [turn.turn_id, turn]));
  const rows: SessionRow[] = [];
  let turn: TurnTimeline | undefined;
  const close = (): void => {
    if (turn !== undefined) rows.push({ key: `time ${turn.turn_id}`, turn });
    turn = undefined;
  };
  for (const entry of entries) {
    if (entry.kind === "prompt") {
      const begun =
        (entry.turnId === undefined ? undefined : byId.get(entry.turnId)) ?? byRow.get(entry.row ?? -1);
      if (begun !== undefined) {
        close();
        turn = begun;
      }
    }
    rows.push({ key: entry.key, entry });
  }
  close();
  return rows;
}

/** The row of the log that a row of the page is; `undefined` for what the log has no row of its own for, or not yet. */
export const rowIdOf = (row: SessionRow): number | undefined =>
  "entry" in row && "row" in row.entry ? row.entry.row : undefined;
