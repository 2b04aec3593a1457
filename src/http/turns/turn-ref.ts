import type { Session, SessionEvent } from "../../core/index.ts";

/** Where a turn stands in the log: whatever an answer needs can be read with it, by anybody, at any time. */
export interface TurnRef {
  readonly sessionId: string;
  readonly promptId: string;
  /** A cursor before anything of it. */
  readonly after: number;
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Only what comes after this cursor, which may stand anywhere, also within a word. */
  readonly from?: number;
}

/** What belongs to the turn of one prompt, from its start to its end, as it comes; waits while it is queued. */
export async function* followTurn(
  session: Session,
  { promptId, after }: TurnRef,
  { signal, from = 0 }: FollowOptions,
): AsyncGenerator<SessionEvent, void> {
  let mine = false;
  for await (const event of session.events({ after, signal, live: false })) {
    if (event.type === "prompt.dropped" && event.promptIds.includes(promptId)) return yield event;
    if (event.type === "turn.start") mine = event.prompt.id === promptId;
    if (!mine) continue;
    const rest = beyond(event, from);
    if (rest !== undefined) yield* inPieces(rest);
    if (event.type === "turn.end") return;
  }
}

/** An event, or the part of its text, that stands after a cursor. */
function beyond(event: SessionEvent, from: number): SessionEvent | undefined {
  if (event.seq <= from) return undefined;
  if (event.type !== "message.delta" && event.type !== "reasoning.delta") return event;
  const missing = event.seq - from;
  return missing >= event.text.length ? event : { ...event, text: event.text.slice(-missing) };
}

/** Characters of text in one event: a reader that takes nothing more holds no more than that on its way. */
const LONGEST_TEXT = 16 * 1024;

/** An event; long text comes as several, each with its own cursor. */
function* inPieces(event: SessionEvent): Generator<SessionEvent, void> {
  if (event.type !== "message.delta" && event.type !== "reasoning.delta") return yield event;
  const { text, seq } = event;
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at);
    yield { ...event, text: text.slice(at, end), seq: seq - (text.length - end) };
    at = end;
  }
}

/** Not within a surrogate pair. */
function pieceEnd(text: string, at: number): number {
  const end = Math.min(at + LONGEST_TEXT, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** What is in the log of a turn now. */
export async function readTurn(session: Session, ref: TurnRef): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = [];
  let mine = false;
  for await (const event of session.events({ after: ref.after, follow: false })) {
    if (event.type === "prompt.dropped" && event.promptIds.includes(ref.promptId)) return [event];
    if (event.type === "turn.start") mine = event.prompt.id === ref.promptId;
    if (mine) events.push(event);
    if (mine && event.type === "turn.end") break;
  }
  return events;
}
