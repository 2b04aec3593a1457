import type { Prompt } from "../events/prompt.ts";
import { decodeRow } from "../log/row-codec.ts";
import { rowsBackwards } from "../log/rows-backwards.ts";
import { coversSeq, type SessionState } from "../state/state.ts";
import type { Store } from "../ports/store.ts";

const PAGE_ROWS = 200;

/** A prompt that still counts, with the cursor before its turn. */
export interface PastPrompt {
  readonly prompt: Prompt;
  readonly turnId: string;
  readonly before: number;
  /** When its turn began; Unix milliseconds. */
  readonly at: number;
}

interface PromptQuery {
  readonly id: string;
  readonly state: SessionState;
  readonly count: number;
  /** Those that an undo took away, instead. */
  readonly takenBack?: boolean;
}

/** The newest prompts that no undo took away, newest first, at most `count`. */
export async function lastPrompts(
  store: Store,
  { id, state, count, takenBack = false }: PromptQuery,
): Promise<readonly PastPrompt[]> {
  const found: PastPrompt[] = [];
  if (count < 1) return found;
  for await (const row of rowsBackwards(store, id, { before: state.seq + 1, pageRows: PAGE_ROWS })) {
    if (row.type !== "turn.start") continue;
    const { event, seq, at } = decodeRow(row);
    if (event.type !== "turn.start" || coversSeq(state.undone, seq) !== takenBack) continue;
    found.push({ prompt: event.prompt, turnId: event.turnId, before: seq - 1, at });
    if (found.length >= count) break;
  }
  return found;
}
