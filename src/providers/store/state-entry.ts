import {
  type SessionDoing,
  EMPTY_STATE,
  type SessionFilter,
  STATE_VERSION,
  type SessionState,
  nextPrompt,
} from "../../core/index.ts";

/** A session's state as it is stored: its JSON, and beside it the values that lists select and sort by. */
export interface StateEntry {
  readonly version: number;
  readonly body: string;
  readonly n: number;
  readonly seq: number;
  readonly columns: ListColumns;
}

/** The columns that lists select and sort by. */
type ListColumns = Pick<SessionState, "platform" | "source" | "cwd" | "title"> & {
  readonly active_at: number;
  readonly marks: number;
  /** The text that a search looks through, in lower case. */
  readonly words: string;
  /** Whether a queued prompt could run, but no turn does: 1 or 0. */
  readonly waiting: number;
  readonly doing: SessionDoing | "";
  /** The user whose session it is; empty for nobody. */
  readonly user: string;
  /** Each sender between line breaks. */
  readonly people: string;
};

/** The marks that keep a session out of lists; a session without any mark is shown. */
export const MARK = {
  /** Made for a subagent. A branch has a parent too, but it is a person's own session. */
  child: 1,
  hidden: 2,
  /** It has no prompt yet, and no title that a person gave. */
  empty: 4,
  removed: 8,
  archived: 16,
} as const;

/** @param child - the session was made, not branched, with a parent */
export function encodeStateEntry(state: SessionState, child: boolean): StateEntry {
  const { n, seq, activeAt, platform, source, cwd, title } = state;
  const empty = state.counts.turns === 0 && state.queue.length === 0 && state.titleBy !== "user";
  const marks =
    (child ? MARK.child : 0) |
    (state.hidden ? MARK.hidden : 0) |
    (empty ? MARK.empty : 0) |
    (state.archived === true ? MARK.archived : 0);
  const words = searchable(`${title}\n${state.preview}`);
  const waiting = state.turn === undefined && nextPrompt(state) !== undefined ? 1 : 0;
  const people = state.people.map((person) => `\n${person}\n`).join("");
  const list = { active_at: activeAt, marks, platform, source, cwd, title, words };
  const columns = { ...list, user: state.user ?? "", waiting, doing: doingOf(state), people };
  return { version: STATE_VERSION, body: JSON.stringify(state), n, seq, columns };
}

function doingOf({ questions, turn, parked }: SessionState): SessionDoing | "" {
  if (questions.length > 0) return "asking";
  if (turn !== undefined) return "working";
  return parked === undefined ? "" : "parked";
}

/** The state of an entry whose checksum and version the backend has checked; the empty one when there is none. */
export function decodeStateEntry(body: string | undefined): SessionState {
  // This is what `encodeStateEntry` wrote.
  return body === undefined ? EMPTY_STATE : (JSON.parse(body) as SessionState);
}

/** Text as it is compared in a search: without regard to case and to how accents are encoded. */
export const searchable = (text: string): string => text.normalize("NFC").toLowerCase();

/** The marks that a query leaves out. */
export function hiddenMarks(query: SessionFilter): number {
  return (
    MARK.removed |
    (query.archived === undefined ? MARK.archived : 0) |
    (query.includeChildren === true ? 0 : MARK.child) |
    (query.includeHidden === true ? 0 : MARK.hidden) |
    (query.includeEmpty === true ? 0 : MARK.empty)
  );
}
