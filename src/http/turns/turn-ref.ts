import type { Session, SessionEvent } from "../../core/index.ts";

/** Where a turn stands in the log: whatever an answer needs can be read with it, by anybody, at any time. */
export interface TurnRef {
  readonly sessionId: string;
  readonly promptId: string;
  /** A cursor before anything of it. */
  readonly after: number;
}

export interface TurnFollowOptions {
  readonly signal: AbortSignal;
  /** Only what comes after this cursor, which may stand anywhere, also within a word. */
  readonly from?: number;
  /** Told which turn it is, also by those who read from its middle, before anything of it. */
  readonly begun?: (turnId: string) => void;
  /** Called when the reading begins; what it gives is called when it ends. */
  readonly enter?: () => (() => void) | undefined;
}

/** What belongs to the turn of one prompt, from its start to its end, as it comes; waits while it is queued. */
export async function* followTurn(
  session: () => Promise<Session>,
  { promptId, after }: TurnRef,
  { signal, from = 0, begun, enter }: TurnFollowOptions,
): AsyncGenerator<SessionEvent, void> {
  const leave = enter?.();
  let mine = false;
  try {
    for await (const event of (await session()).events({ after, signal, live: false })) {
      if (event.type === "prompt.dropped" && event.promptIds.includes(promptId)) return yield event;
      if (event.type === "turn.start") {
        mine = event.prompt.id === promptId;
        if (mine) begun?.(event.turnId);
      }
      if (!mine) continue;
      const rest = beyond(event, from);
      // Every stream passes here with every word: what is short goes on as it is.
      if (rest !== undefined && isShort(rest)) yield rest;
      else if (rest !== undefined) for (const piece of inPieces(rest)) yield piece;
      if (event.type === "turn.end") return;
    }
  } finally {
    leave?.();
  }
}

/** An event, or the part of its text, that stands after a cursor. */
function beyond(event: SessionEvent, from: number): SessionEvent | undefined {
  if (event.seq <= from) return undefined;
  if (!isDelta(event)) return event;
  const missing = event.seq - from;
  return missing >= event.text.length ? event : { ...event, text: event.text.slice(-missing) };
}

/** Characters of text in one event: a reader that takes nothing more holds no more than that on its way. */
const LONGEST_TEXT = 16 * 1024;

const isShort = (event: SessionEvent): boolean => !isDelta(event) || event.text.length <= LONGEST_TEXT;

const isDelta = (
  event: SessionEvent,
): event is Extract<SessionEvent, { type: "message.delta" | "reasoning.delta" }> =>
  event.type === "message.delta" || event.type === "reasoning.delta";

/** An event; long text comes as several, each with its own cursor. */
function* inPieces(event: SessionEvent): Generator<SessionEvent, void> {
  if (!isDelta(event)) return yield event;
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
