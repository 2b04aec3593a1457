import type { Row } from "../events/events.ts";
import { coversSeq, type SessionState } from "../state/state.ts";

/** Files that are named at most; who changed more looks at the whole folder. */
const MOST_FILES = 100;

/** The files that tools changed in those of the rows that still count, absolute, each once, in the order of their first change. */
export function changedFiles({ undone }: SessionState, rows: readonly Row[]): readonly string[] {
  const paths = rows.flatMap(({ event, seq }) =>
    event.type === "tool.complete" && event.outcome === "ok" && !coversSeq(undone, seq)
      ? event.content.flatMap((part) => (part.type === "diff" ? [part.path] : []))
      : [],
  );
  return [...new Set(paths)].slice(0, MOST_FILES);
}
