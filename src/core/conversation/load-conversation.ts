import { type Conversation, conversationOf } from "./conversation.ts";
import type { Row } from "../events/events.ts";
import type { SessionLog } from "../log/session-log.ts";
import type { SessionState } from "../state/state.ts";

/**
 * The rows that requests are made of: those that no undo and no compression leaves out, and the compressions
 * themselves. What they replace is not read.
 *
 * @param state - as the log stood at one moment; what has come since is left out
 */
export async function loadRows(log: SessionLog, state: SessionState): Promise<readonly Row[]> {
  const { undone, compressions, seq: end } = state;
  const rows: Row[] = [];
  for (const { seq } of compressions) rows.push(...(await log.rows(seq - 1, seq)));
  let from = 0;
  for (const gap of [...undone, ...compressions].toSorted((a, b) => a.from - b.from)) {
    if (gap.from > from) rows.push(...(await log.rows(from, gap.from)));
    from = Math.max(from, gap.to);
  }
  if (end > from) rows.push(...(await log.rows(from, end)));
  const seen = new Set<number>();
  return rows.filter(({ seq }) => !seen.has(seq) && seen.add(seq)).toSorted((a, b) => a.seq - b.seq);
}

/** Builds a session's conversation from its log, as it stands when this is called. */
export async function loadConversation(log: SessionLog): Promise<Conversation> {
  const { state } = log;
  return conversationOf(await loadRows(log, state), state);
}
