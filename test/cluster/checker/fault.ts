/** The kinds of what must never happen. */
export type FaultKind =
  /** Two hosts wrote to a session at a time, or an older lease was taken for the newer one. */
  | "two writers"
  /** Something acknowledged is not there in the end. */
  | "lost"
  /** A cursor, or a range of cursors, stood for different things. */
  | "two meanings"
  /** A reader was not shown all that there is between two of its cursors. */
  | "not shown"
  /** A prompt was answered never, or twice, or its sender was told something else than the log says. */
  | "prompt"
  /** A question was resolved never, or twice, or the answer that was taken is not the one in the log. */
  | "question"
  /** Rows stand in an order that makes no sense. */
  | "misordered"
  /** A call ran twice, or a host acted for a session that was not its own any more. */
  | "acted"
  /** A host found a defect of its own. */
  | "defect"
  /** Something neither ended nor goes on. */
  | "stuck";

/** Something that must never happen, and did. */
export interface Fault {
  readonly kind: FaultKind;
  readonly session: string;
  /** What happened, in words. */
  readonly text: string;
}

/** Faults as lines for people, each kind counted first. */
export function printFaults(faults: readonly Fault[]): string {
  const counts = Map.groupBy(faults, ({ kind }) => kind);
  const head = [...counts].map(([kind, { length }]) => `${kind}: ${length}`).join(", ");
  const lines = faults.slice(0, MOST).map(({ kind, session, text }) => `  ${kind} · ${session} · ${text}`);
  const more = faults.length > MOST ? [`  … and ${faults.length - MOST} more`] : [];
  return faults.length === 0 ? "nothing wrong" : [head, ...lines, ...more].join("\n");
}

const MOST = 40;
