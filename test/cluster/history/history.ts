import type { AppendResult, Resolution, StoredRow } from "../../../src/core/index.ts";

/** The time that something took, on one clock for all hosts. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A row as a store acknowledged it: its place, and the checksum of all of it. */
export interface RowMark {
  readonly n: number;
  readonly seq: number;
  readonly type: string;
  readonly sum: number;
}

/** Streamed text, `cursor` being the one before its first character. */
export interface TextMark {
  readonly cursor: number;
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

interface OfHost {
  readonly host: string;
  readonly session: string;
}

/** An append, and what the store answered; `failed`: it answered nothing that tells whether it was carried out. */
export interface AppendEntry extends OfHost, Span {
  readonly type: "append";
  /** The token with which it was sent. */
  readonly fence?: number;
  /** The token that the host holds afterwards. */
  readonly granted?: number;
  readonly status: AppendResult["status"] | "failed";
  readonly rows: readonly RowMark[];
  readonly pieces: readonly TextMark[];
}

/** A lease that was taken from a dead host. */
interface TakeoverEntry extends OfHost, Span {
  readonly type: "takeover";
  readonly fence: number;
}

/** An event as a reader got it: text, or a row with the checksum of its event. */
export type SeenEvent =
  | { readonly seq: number; readonly kind: TextMark["kind"]; readonly text: string }
  | { readonly seq: number; readonly row: string; readonly sum: number; readonly answer?: string };

/** What a reader got after a cursor, in one piece. */
interface ReadEntry extends OfHost {
  readonly type: "read";
  readonly reader: string;
  readonly after: number;
  /** When it got it. */
  readonly at: number;
  readonly events: readonly SeenEvent[];
}

/** What became of something that was asked for: `unknown` when the answer does not tell whether it was done. */
export type Answered = "accepted" | "refused" | "unknown";

/** A prompt under the id that its client chose. */
export interface PromptEntry extends OfHost {
  readonly type: "prompt";
  readonly promptId: string;
  readonly answered: Answered;
}

/** The end of a turn as the sender of its prompt was told. */
export interface ResultEntry extends OfHost {
  readonly type: "result";
  readonly promptId: string;
  readonly turnId: string;
  readonly outcome: string;
  readonly text: string;
}

/** An answer to a question. */
interface AnswerEntry extends OfHost {
  readonly type: "answer";
  readonly requestId: string;
  readonly answered: Answered;
  readonly resolution?: Resolution;
}

/** Something outside of the log that a host did for a session: it began to run a tool, or was still at it. */
export interface EffectEntry extends OfHost {
  readonly type: "effect";
  readonly callId: string;
  readonly part: "begin" | "more";
  readonly at: number;
}

/** The time in which a host did not run, and could not know it. */
export interface PauseEntry extends Span {
  readonly type: "pause";
  readonly host: string;
}

/** The time in which the store had lost its power, and with it what it had not synced: streamed text, never rows. */
export interface CrashEntry extends Span {
  readonly type: "crash";
}

/** An entry of a history; JSON, so that processes can write it line by line. */
export type HistoryEntry =
  | AppendEntry
  | TakeoverEntry
  | ReadEntry
  | PromptEntry
  | ResultEntry
  | AnswerEntry
  | EffectEntry
  | PauseEntry
  | CrashEntry;

/** Whether an entry is about one session. */
export const isOfSession = (entry: HistoryEntry): entry is Exclude<HistoryEntry, PauseEntry | CrashEntry> =>
  entry.type !== "pause" && entry.type !== "crash";

/** The log of a session when all is over. */
export interface FinalLog {
  readonly session: string;
  readonly rows: readonly StoredRow[];
}

/** A record of all that hosts, readers and people did and were told. */
export interface History {
  readonly entries: readonly HistoryEntry[];
  readonly logs: readonly FinalLog[];
  /** What somebody on a living host still waits for, in words. */
  readonly waiting: readonly string[];
  /** What hosts reported as defects of their own. */
  readonly defects: readonly string[];
}
