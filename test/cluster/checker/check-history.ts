import { type History, isOfSession } from "../history/history.ts";
import { cursorFaults } from "./cursors.ts";
import { effectFaults } from "./effects.ts";
import type { Fault } from "./fault.ts";
import { logRows } from "./log-row.ts";
import { promptFaults } from "./prompts.ts";
import { questionFaults } from "./questions.ts";
import { lostFaults } from "./rows.ts";
import { orderFaults } from "./turns.ts";
import { writerFaults } from "./writers.ts";

/** The options of a check. */
export interface CheckOptions {
  /** The time after a stop in which a host may still act, in the history's time; 0 by default. */
  readonly grace?: number;
}

/** Finds all that must never happen in a history, whatever store and hosts it was recorded of. */
export function checkHistory(
  { entries, logs, waiting, defects }: History,
  { grace = 0 }: CheckOptions = {},
): readonly Fault[] {
  const bySession = Map.groupBy(entries, (entry) => (isOfSession(entry) ? entry.session : ""));
  const pauses = entries.filter((entry) => entry.type === "pause");
  const crashes = entries.filter((entry) => entry.type === "crash");
  const known = new Set(logs.map(({ session }) => session));
  const missing = [...bySession].filter(
    ([session, all]) =>
      session !== "" &&
      !known.has(session) &&
      all.some((entry) => entry.type === "append" && entry.status === "ok"),
  );
  return [
    ...missing.map(([session]): Fault => ({ kind: "lost", session, text: "the whole session" })),
    ...logs.flatMap(({ session, rows }) => {
      const own = bySession.get(session) ?? [];
      const log = logRows(rows);
      return [
        ...writerFaults(session, own),
        ...lostFaults(session, own, rows),
        ...cursorFaults(session, own, { rows: log, crashes }),
        ...orderFaults(session, log),
        ...promptFaults(session, own, log),
        ...questionFaults(session, own, log),
        ...effectFaults(session, own, { pauses, grace }),
      ];
    }),
    ...defects.map((text): Fault => ({ kind: "defect", session: "", text })),
    ...waiting.map((what): Fault => ({ kind: "stuck", session: "", text: what })),
  ];
}
