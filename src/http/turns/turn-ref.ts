import { type Host, isDelta, type Session, type SessionEvent } from "../../core/index.ts";

/** The place of a turn in the log: with it, any process can read all that an answer needs, at any time. */
export interface TurnRef {
  readonly sessionId: string;
  readonly promptId: string;
  /** A cursor before anything of it. */
  readonly after: number;
}

/** Makes the reference of a turn that is still to begin. */
export function newTurnRef({ services }: Host, { sessionId, after }: Omit<TurnRef, "promptId">): TurnRef {
  return { sessionId, promptId: `prompt_${services.hex(8)}`, after };
}

/** Gives the place after everything that is in a session now. */
export async function endOfSession(host: Host, sessionId: string): Promise<Omit<TurnRef, "promptId">> {
  const { seq } = await (await host.session(sessionId)).refresh();
  return { sessionId, after: seq };
}

/** The options of a reader that follows a turn. */
export interface TurnFollowOptions {
  readonly signal: AbortSignal;
  /** Only what comes after this cursor, which may stand anywhere, also within a word. */
  readonly from?: number;
  /** Told the turn's id before its first event, also when the reader starts in its middle. */
  readonly begun?: (turnId: string) => void;
  /** Called when the reading begins; the function that it gives is called when the reading ends. */
  readonly enter?: () => (() => void) | undefined;
}

/** Yields the events of the turn of one prompt, from its start to its end, as they come; waits while it is queued. */
export async function* followTurn(
  session: () => Promise<Session>,
  { promptId, after }: TurnRef,
  { signal, from = 0, begun, enter }: TurnFollowOptions,
): AsyncGenerator<SessionEvent, void> {
  const leave = enter?.();
  let mine = false;
  try {
    for await (const event of (await session()).events({ after, signal, live: false })) {
      if (event.type === "prompt.dropped") {
        if (event.promptIds.includes(promptId)) return yield event;
        // Others wait behind this one, and may be taken back while it runs.
        continue;
      }
      if (event.type === "turn.start") {
        mine = event.prompt.id === promptId;
        if (mine) begun?.(event.turnId);
      }
      if (!mine) continue;
      const rest = beyond(event, from);
      // Every word of every stream passes here: a short event is not copied.
      if (rest !== undefined && isShort(rest)) yield rest;
      else if (rest !== undefined) for (const piece of inPieces(rest)) yield piece;
      if (event.type === "turn.end") return;
    }
  } finally {
    leave?.();
  }
}

/** Gives an event, or the part of its text, that comes after a cursor. */
function beyond(event: SessionEvent, from: number): SessionEvent | undefined {
  if (event.seq <= from) return undefined;
  if (!isDelta(event)) return event;
  const missing = event.seq - from;
  return missing >= event.text.length ? event : { ...event, text: event.text.slice(-missing) };
}

/** Characters of text in one event: a reader that stalls holds no more than this in memory. */
const LONGEST_TEXT = 16 * 1024;

const isShort = (event: SessionEvent): boolean => !isDelta(event) || event.text.length <= LONGEST_TEXT;

/** Cuts an event with long text into several, each with its own cursor. */
function* inPieces(event: SessionEvent): Generator<SessionEvent, void> {
  if (!isDelta(event)) return yield event;
  const { text, seq } = event;
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at);
    yield { ...event, text: text.slice(at, end), seq: seq - (text.length - end) };
    at = end;
  }
}

/** Gives the end of a piece, which is not within a surrogate pair. */
function pieceEnd(text: string, at: number): number {
  const end = Math.min(at + LONGEST_TEXT, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** Reads the events of a turn that are in the log now. */
export async function readTurn(session: Session, ref: TurnRef): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = [];
  let mine = false;
  for await (const event of session.events({ after: ref.after, follow: false })) {
    if (event.type === "prompt.dropped") {
      if (event.promptIds.includes(ref.promptId)) return [event];
      continue;
    }
    if (event.type === "turn.start") mine = event.prompt.id === ref.promptId;
    if (mine) events.push(event);
    if (mine && event.type === "turn.end") break;
  }
  return events;
}
