import type { SessionEvent } from "../events/events.ts";
import type { ReadPosition } from "./read-position.ts";
import type { SessionLog } from "./session-log.ts";
import { EphemeralReader } from "./ephemeral-reader.ts";
import { ReadAhead } from "./read-ahead.ts";

/** The options of reading a log. */
export interface ReadOptions {
  /** The cursor of the last event the reader has; 0, the default, replays everything. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** Continue with what comes, the default; `false` ends at what is there. */
  readonly follow?: boolean;
  /** Events that are in no log too, the default when following. */
  readonly live?: boolean;
  /** Keep the rows for a minute: a turn is likely to follow, which needs them. `false` by default. */
  readonly keepsRows?: boolean;
}

/** The options of reading what is in a log already. */
export type PageOptions = Pick<ReadOptions, "after" | "signal" | "keepsRows">;

/** Reads what is in a log already, a page at a time. */
export async function* readPages(
  log: SessionLog,
  { after = 0, signal, keepsRows = false }: PageOptions,
): AsyncGenerator<readonly SessionEvent[], void> {
  const position: ReadPosition = { after, foreignAppends: -1, keepsRows, ahead: new ReadAhead() };
  while (!isOver(signal)) {
    const events = await log.read(position);
    if (events.length === 0) return;
    yield events;
  }
}

/** A witness of what a reader gets, for as long as it reads. */
export interface Witness extends Disposable {
  event(event: SessionEvent): void;
}

/**
 * Reads a log from any position: first what is there, then what comes. It pulls: a slow reader gets text in larger
 * deltas and holds nobody up.
 *
 * @param comes - called when the reading begins
 */
export async function* readEvents(
  log: SessionLog,
  options: ReadOptions = {},
  comes: () => Witness | undefined = () => undefined,
): AsyncGenerator<SessionEvent, void> {
  const { after = 0, signal, follow = true, live = follow, keepsRows = false } = options;
  const position: ReadPosition = { after, foreignAppends: -1, keepsRows, ahead: new ReadAhead() };
  using witness = comes();
  using listener = log.listen(signal);
  const shown = live ? new EphemeralReader(log.live) : undefined;
  let seq = after;
  while (!isOver(signal)) {
    const read = log.read(position);
    const events = read instanceof Promise ? await read : read;
    for (const event of events) {
      for (const each of shown?.before(startOf(event), seq) ?? NONE) yield each;
      witness?.event(event);
      yield event;
      if (isOver(signal)) return;
      seq = event.seq;
    }
    if (events.length > 0) continue;
    const liveEvents = shown?.before(seq, seq) ?? NONE;
    for (const each of liveEvents) yield each;
    if (liveEvents.length > 0) continue;
    if (!follow) return;
    // Nothing is awaited between the look and the wait: a change in between would not wake the reader.
    if (!log.hasMore(position)) await listener.wait();
  }
}

const NONE: readonly SessionEvent[] = [];

function startOf(event: SessionEvent): number {
  const isText = event.type === "message.delta" || event.type === "reasoning.delta";
  return event.seq - (isText ? event.text.length : 1);
}

/** Asked anew each time: it changes while the reader waits. */
const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted ?? false;
