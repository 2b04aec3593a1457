import type { DurableEvent, Row } from "../../src/core/events/events.ts";
import type { Prompt } from "../../src/core/events/prompt.ts";
import { fold } from "../../src/core/state/fold.ts";
import { encodeRow } from "../../src/core/log/row-codec.ts";
import { EMPTY_STATE, type SessionState } from "../../src/core/state/state.ts";
import type { AppendRequest, Head } from "../../src/core/ports/store.ts";
import type { StoredRow } from "../../src/core/ports/stored-row.ts";

/** Writes rows for one session's log, as its driver would: numbered, stamped, and with the state after them. */
export interface LogPen {
  readonly state: SessionState;
  readonly head: Head;
  /** The next rows. `gap`: characters of text that streamed before each of them. */
  rows(
    events: readonly DurableEvent[],
    options?: { readonly gap?: number; readonly mid?: boolean },
  ): readonly StoredRow[];
  /** An append of the next rows, with what it differs in from the plainest one. */
  append(session: string, events: readonly DurableEvent[], more?: Partial<AppendRequest>): AppendRequest;
}

/** @param now - gives each row its time; counts up from 1 when left out */
export function logPen(now?: () => number, start: SessionState = EMPTY_STATE): LogPen {
  let state = start;
  let time = start.activeAt;
  const rows: LogPen["rows"] = (events, { gap = 0, mid = false } = {}) =>
    events.map((event) => {
      const row: Row = {
        n: state.n + 1,
        seq: state.seq + gap + 1,
        at: now === undefined ? (time += 1) : now(),
        event,
      };
      state = fold(state, row);
      return encodeRow(row, mid);
    });
  return {
    rows,
    get state() {
      return state;
    },
    get head() {
      return { n: state.n, seq: state.seq };
    },
    append(session, events, more = {}) {
      const after = { n: state.n, seq: state.seq };
      const written = rows(events);
      return {
        session,
        fence: undefined,
        after,
        rows: written,
        pieces: [],
        clearPieces: false,
        ...(written.length === 0 ? {} : { state }),
        release: false,
        reserve: 0,
        blobs: [],
        results: [],
        ...more,
      };
    },
  };
}

type StartEvent = Extract<DurableEvent, { type: "session.start" }>;

export const sessionStart = (more: Partial<StartEvent> = {}): StartEvent => ({
  type: "session.start",
  platform: "library",
  source: "test",
  cwd: "/work",
  roots: ["/work"],
  ...more,
});

export const titleSet = (title: string): DurableEvent => ({ type: "title.set", title, by: "user" });

export const prompt = (text: string, id = `prompt-${text}`): Prompt => ({
  id,
  parts: [{ type: "text", text }],
  from: { surface: "test" },
  questions: { mode: "ask" },
});

export const turnStart = (text: string, turnId = "turn-1"): DurableEvent => ({
  type: "turn.start",
  turnId,
  prompt: prompt(text),
});
