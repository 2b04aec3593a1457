import { isDelta } from "../events/delta.ts";
import type { SessionEvent } from "../events/events.ts";
import type { ReadPosition } from "./read-position.ts";
import type { SessionLog } from "./session-log.ts";
import type { EventPage } from "./shared-reads.ts";
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
  /**
   * Offered events of the log, and text as it streams, in the moment in which they are there, while the reader waits for
   * the next one; what it takes is not yielded. Events that are in no log are always yielded, as is what has to be read from
   * the store. A client has text sooner so: a yield comes when all that the moment set off is done. It is called within the
   * writer's own call: it may only hand on what it gets, and must not wait, throw or ask the session for anything.
   */
  readonly take?: (event: SessionEvent) => boolean;
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
export const readEvents = (
  log: SessionLog,
  options: ReadOptions = {},
  comes: () => Witness | undefined = () => undefined,
): AsyncGenerator<SessionEvent, void> => new EventReader(log, options).events(comes);

/** One reading of a log. */
class EventReader {
  readonly #log: SessionLog;
  readonly #options: ReadOptions;
  readonly #position: ReadPosition;
  readonly #shown: EphemeralReader | undefined;
  #witness: Witness | undefined;
  /** The cursor of the last event that was given. */
  #seq: number;
  /** The events that were read and not taken. */
  #left: EventPage | Promise<EventPage> | undefined;

  constructor(log: SessionLog, options: ReadOptions) {
    const { after = 0, follow = true, live = follow, keepsRows = false } = options;
    this.#log = log;
    this.#options = options;
    this.#position = { after, foreignAppends: -1, keepsRows, ahead: new ReadAhead() };
    this.#shown = live ? new EphemeralReader(log.live) : undefined;
    this.#seq = after;
  }

  async *events(comes: () => Witness | undefined): AsyncGenerator<SessionEvent, void> {
    using witness = comes();
    using listener = this.#log.listen(this.#options.signal);
    this.#witness = witness;
    const { signal, follow = true, take } = this.#options;
    const taken = take && (() => this.#offer(take));
    while (!isOver(signal)) {
      const read = this.#left ?? this.#log.read(this.#position);
      this.#left = undefined;
      const events = read instanceof Promise ? await read : read;
      for (const event of events) {
        for (const each of this.#live(startOf(event))) yield each;
        witness?.event(event);
        yield event;
        if (isOver(signal)) return;
        this.#seq = event.seq;
      }
      if (events.length > 0) continue;
      const live = this.#live(this.#seq);
      for (const each of live) yield each;
      if (live.length > 0) continue;
      if (!follow) return;
      // Nothing is awaited between the look and the wait: a change in between would not wake the reader.
      if (!this.#log.hasMore(this.#position)) await listener.wait(taken);
    }
  }

  /** The live events to show before what follows a cursor. */
  #live(cursor: number): readonly SessionEvent[] {
    return this.#shown?.before(cursor, this.#seq) ?? NONE;
  }

  /** Offers what has come to a reader that waits. `false`: something is left for it to fetch. */
  #offer(take: (event: SessionEvent) => boolean): boolean {
    if (isOver(this.#options.signal) || this.#shown?.hasNews === true) return false;
    if (!this.#log.hasMore(this.#position)) return true;
    try {
      const events = this.#log.read(this.#position);
      if (events instanceof Promise) return this.#leave(events);
      for (const [index, event] of events.entries()) {
        if (!take(event)) return this.#leave(events.slice(index));
        this.#witness?.event(event);
        this.#seq = event.seq;
      }
      return true;
    } catch (thrown) {
      return this.#leave(Promise.reject(thrown));
    }
  }

  #leave(events: EventPage | Promise<EventPage>): false {
    this.#left = events;
    // The reader, which is woken now, learns of it; one that ends instead does not.
    if (events instanceof Promise) events.catch(() => undefined);
    return false;
  }
}

const NONE: readonly SessionEvent[] = [];

function startOf(event: SessionEvent): number {
  return event.seq - (isDelta(event) ? event.text.length : 1);
}

/** Asked anew each time: it changes while the reader waits. */
const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted ?? false;
