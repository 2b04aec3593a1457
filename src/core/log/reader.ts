import type { SessionEvent } from "../events/events.ts";
import type { ReadPosition, SessionLog } from "./session-log.ts";
import { EphemeralReader } from "./ephemeral-reader.ts";

/** What a reader of a log wants. */
export interface ReadOptions {
  /** The cursor of the last event the reader has; 0, the default, replays everything. */
  readonly after?: number;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
  /** Go on with what comes, the default; `false` ends at what is there. */
  readonly follow?: boolean;
  /** Events that are in no log too, the default when following. */
  readonly live?: boolean;
}

/**
 * Reads a log from any position: first what is there, then what comes. It pulls: a slow reader gets text in larger
 * deltas and holds nobody up.
 */
export async function* readEvents(
  log: SessionLog,
  options: ReadOptions = {},
): AsyncGenerator<SessionEvent, void> {
  const { after = 0, signal, follow = true, live = follow } = options;
  const position: ReadPosition = { after, moves: -1 };
  using listener = log.listen(signal);
  const notes = live ? new EphemeralReader(log.live) : undefined;
  let seq = after;
  while (!isOver(signal)) {
    const events = await log.read(position);
    for (const event of events) {
      for (const note of notes?.before(beginning(event), seq) ?? NONE) yield note;
      yield event;
      if (isOver(signal)) return;
      seq = event.seq;
    }
    if (events.length > 0) continue;
    const news = notes?.before(seq, seq) ?? NONE;
    for (const note of news) yield note;
    if (news.length > 0) continue;
    if (!follow) return;
    // From the look on, nothing is awaited: what changed since would not wake anybody.
    if (!log.hasMore(position)) await listener.wait();
  }
}

const NONE: readonly SessionEvent[] = [];

/** The cursor before an event. */
function beginning(event: SessionEvent): number {
  const isText = event.type === "message.delta" || event.type === "reasoning.delta";
  return event.seq - (isText ? event.text.length : 1);
}

/** Asked anew each time: it changes while the reader waits. */
const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted ?? false;
