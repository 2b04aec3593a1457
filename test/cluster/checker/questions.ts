import { isDeepStrictEqual } from "node:util";
import type { Resolution } from "../../../src/core/index.ts";
import type { HistoryEntry } from "../history/history.ts";
import type { Fault } from "./fault.ts";
import type { LogRow } from "./log-row.ts";

/** Each question is resolved once, and by the answer that was taken. */
export function* questionFaults(
  session: string,
  entries: readonly HistoryEntry[],
  rows: readonly LogRow[],
): Generator<Fault> {
  const fault = (text: string): Fault => ({ kind: "question", session, text });
  const asked = new Set<string>();
  const resolved = new Map<string, Resolution>();
  for (const { event } of rows) {
    if ("resolution" in event) {
      const { requestId, resolution } = event;
      if (!asked.has(requestId)) yield fault(`question ${requestId} was resolved and never asked`);
      if (resolved.has(requestId)) yield fault(`question ${requestId} was resolved twice`);
      resolved.set(requestId, resolution);
    } else if ("requestId" in event) {
      if (asked.has(event.requestId)) yield fault(`question ${event.requestId} was asked twice`);
      asked.add(event.requestId);
    }
  }
  for (const id of asked)
    if (!resolved.has(id)) yield { kind: "stuck", session, text: `question ${id} is open` };
  for (const entry of entries) {
    if (entry.type !== "answer" || entry.answered !== "accepted") continue;
    const found = resolved.get(entry.requestId);
    if (isDeepStrictEqual(found, entry.resolution)) continue;
    const words = `${JSON.stringify(entry.resolution)}, and the log says ${JSON.stringify(found)}`;
    yield fault(`to question ${entry.requestId} the answer was taken ${words}`);
  }
}
