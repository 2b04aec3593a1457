import type { SessionEvent } from "./events.ts";
import type { Position, SessionLog } from "./log.ts";

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
  const position: Position = { after, moves: -1 };
  using ear = log.listen(signal);
  let { version } = log.live;
  /** The reader has just come, and has not been shown what runs. */
  let isNew = live;
  while (!isOver(signal)) {
    const events = await log.read(position);
    for (const event of events) {
      yield event;
      if (isOver(signal)) return;
    }
    if (events.length > 0) continue;
    if (live && (isNew || version !== log.live.version)) {
      const news = isNew ? log.live.first(version) : log.live.since(version);
      version = log.live.version;
      isNew = false;
      for (const { event, at } of news) yield { ...event, seq: position.after, at };
      continue;
    }
    if (!follow) return;
    if (!log.hasMore(position)) await ear.wait();
  }
}

/** Asked anew each time: it changes while the reader waits. */
const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted ?? false;
