import type { EffectEntry, HistoryEntry, PauseEntry } from "../history/history.ts";
import type { Fault } from "./fault.ts";
import { grantsOf, newestBefore } from "./writers.ts";

/**
 * No call runs twice, and no host acts for a session that another one drives already. A host that was stopped and goes on
 * in the middle of an act is no fault of the host's: it could not know.
 *
 * @param grace - how long after it was stopped, in the history's time
 */
export function* effectFaults(
  session: string,
  entries: readonly HistoryEntry[],
  { pauses, grace }: { readonly pauses: readonly PauseEntry[]; readonly grace: number },
): Generator<Fault> {
  const grants = entries.flatMap(grantsOf);
  const newest = newestBefore(grants);
  const ran = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "effect") continue;
    const { callId, host, at, part } = entry;
    const before = ran.get(callId);
    if (before !== undefined && part === "begin")
      yield { kind: "acted", session, text: `call ${callId} ran on ${before} and on ${host}` };
    ran.set(callId, host);
    const owner = newest(at);
    if (owner === undefined || owner.host === host || wasStopped(entry, pauses, grace)) continue;
    const text = `${host} ran call ${callId} while ${owner.host} drove the session under fence ${owner.fence}`;
    yield { kind: "acted", session, text };
  }
}

const wasStopped = ({ host, at }: EffectEntry, pauses: readonly PauseEntry[], grace: number): boolean =>
  pauses.some((pause) => pause.host === host && pause.from <= at && at <= pause.to + grace);
