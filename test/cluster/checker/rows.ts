import type { StoredRow } from "../../../src/core/index.ts";
import type { HistoryEntry } from "../history/history.ts";
import { rowMark } from "../history/recorder.ts";
import type { Fault } from "./fault.ts";

/** No acknowledged row is lost or changed, and the rows follow each other. */
export function* lostFaults(
  session: string,
  entries: readonly HistoryEntry[],
  rows: readonly StoredRow[],
): Generator<Fault> {
  const marks = new Map(rows.map((row) => [row.n, rowMark(row)]));
  for (const entry of entries) {
    if (entry.type !== "append" || entry.status !== "ok") continue;
    for (const { n, seq, type, sum } of entry.rows) {
      const found = marks.get(n);
      const what = `row ${n} (${type}, cursor ${seq}), acknowledged to ${entry.host},`;
      if (found === undefined) yield { kind: "lost", session, text: `${what} is not there` };
      else if (found.sum !== sum)
        yield { kind: "lost", session, text: `${what} is now ${found.type}, cursor ${found.seq}` };
    }
  }
  let last = { n: 0, seq: 0 };
  for (const { n, seq } of rows) {
    if (n !== last.n + 1 || seq <= last.seq)
      yield {
        kind: "misordered",
        session,
        text: `row ${n}, cursor ${seq}, comes after row ${last.n}, cursor ${last.seq}`,
      };
    last = { n, seq };
  }
}
