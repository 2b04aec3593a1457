import type { Head, Snapshot } from "../ports/store.ts";

/**
 * Whether what was read after the known end of a log goes on with it. A log never gets shorter: one that does not go on
 * is another session's, which got the id of one that was deleted.
 */
export function goesOn({ rows, head }: Snapshot, known: Head): boolean {
  const [next] = rows;
  return next === undefined ? head.n === known.n && head.seq === known.seq : next.n === known.n + 1;
}
