import { decodeRow, type ErrorCode, type Host, type Row, type StoredRow } from "../../core/index.ts";
import { activeSessions } from "./active-sessions.ts";

/** A call of a model that went wrong, as its session's log has it. */
export interface ModelError {
  readonly session: string;
  /** The session's title; empty without one. */
  readonly title: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly code: ErrorCode;
  readonly message: string;
  /** The call was made again; otherwise the turn ended with it. */
  readonly retried: boolean;
}

/** Rows that are in memory at once. */
const ROWS = 200;
const TOLD: ReadonlySet<string> = new Set<Row["event"]["type"]>(["model.retry", "turn.end"]);

/**
 * Gathers what went wrong with models, the newest first.
 *
 * @param since - Unix milliseconds; what was before is not read
 */
export async function modelErrors(
  { services: { store } }: Pick<Host, "services">,
  since: number,
): Promise<readonly ModelError[]> {
  const found: ModelError[] = [];
  for await (const { id, state, damaged } of activeSessions(store, since)) {
    if (damaged) continue;
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const rows = await store.readBefore(id, before, ROWS);
      for (const row of rows) {
        const error = errorIn(row, since);
        if (error !== undefined) found.push({ session: id, title: state.title ?? "", ...error });
      }
      const [first] = rows;
      if (first === undefined || rows.length < ROWS || first.at < since) break;
      before = first.seq;
    }
  }
  return found.toSorted((a, b) => b.at - a.at);
}

function errorIn(stored: StoredRow, since: number): Omit<ModelError, "session" | "title"> | undefined {
  if (stored.at < since || !TOLD.has(stored.type)) return undefined;
  const { event, at } = decodeRow(stored);
  if (event.type !== "model.retry" && event.type !== "turn.end") return undefined;
  const { error } = event;
  if (error === undefined || !/^(?:provider|model|context)_/.test(error.code)) return undefined;
  return { at, code: error.code, message: error.message, retried: event.type === "model.retry" };
}
