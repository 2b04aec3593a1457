import { defined } from "../../shared/json/defined.ts";
import { promptText } from "../events/content.ts";
import type { EventNamed, Row } from "../events/events.ts";
import { addUsage, NO_USAGE, type Usage } from "../events/usage.ts";
import { coversSeq, type Range } from "../state/state.ts";
import { accountFor, totalsOf } from "./account.ts";
import type { TurnTimeline } from "./spans.ts";
import { TurnSpans } from "./turn-spans.ts";

interface TimelineContext {
  readonly undone: readonly Range[];
  /** The turn that runs: the others are over, also those of which a cut log has no end. */
  readonly running?: string | undefined;
  /** Unix milliseconds; how far the running turn got. */
  readonly now: number;
}

type StartRow = Row & { readonly event: EventNamed<"turn.start"> };

/**
 * Says of the turns that begin in these rows where their time went, oldest first. Pure: all times are those of the rows, and
 * a clock that was set back in between counts as one that stood still.
 *
 * @param rows - consecutive rows of one session, in order
 */
export function turnTimelines(rows: readonly Row[], context: TimelineContext): readonly TurnTimeline[] {
  const queued = new Map<string, number>();
  const turns: TurnTimeline[] = [];
  let newest: Row[] = [];
  let start: StartRow | undefined;
  const finish = (): void => {
    if (start !== undefined) turns.push(timelineOf(start, newest, { ...context, queued }));
    start = undefined;
  };
  for (const row of rows) {
    const { event } = row;
    if (event.type === "prompt.queued") queued.set(event.prompt.id, row.at);
    if (event.type === "turn.start") {
      finish();
      start = { ...row, event };
      newest = [];
    } else if (start !== undefined) {
      newest.push(row);
      if (event.type === "turn.end") finish();
    }
  }
  finish();
  return turns;
}

function timelineOf(
  start: StartRow,
  rows: readonly Row[],
  { undone, running, now, queued }: TimelineContext & { readonly queued: ReadonlyMap<string, number> },
): TurnTimeline {
  const { turnId, prompt } = start.event;
  const last = rows.at(-1);
  const end = last?.event.type === "turn.end" ? last.event : undefined;
  const spans = new TurnSpans(start);
  let at = start.at;
  let seq = start.seq;
  let usage: Usage = NO_USAGE;
  for (const row of rows) {
    if (end?.lostAfter !== undefined && seq <= end.lostAfter && row.seq > end.lostAfter) spans.diedAfter(at);
    at = Math.max(at, row.at);
    seq = row.seq;
    if (row.event.type === "reply.complete") usage = addUsage(usage, row.event.usage);
    spans.take(row.event, at);
  }
  const isRunning = end === undefined && turnId === running;
  const until = isRunning ? Math.max(at, now) : at;
  const found = isRunning ? spans.soFar(until) : spans.whole(end ?? { outcome: "interrupted" }, until);
  const segments = accountFor(found, { start: start.at, end: until });
  return {
    turnId,
    promptId: prompt.id,
    text: promptText(prompt.parts),
    from: prompt.from,
    before: start.seq - 1,
    seq: start.seq,
    startedAt: start.at,
    takenBack: coversSeq(undone, start.seq),
    usage: end?.usage ?? usage,
    spans: found,
    segments,
    totals: totalsOf(segments),
    ...(isRunning ? {} : { to: seq, endedAt: until }),
    ...defined({ outcome: end?.outcome, reason: end?.reason, error: end?.error }),
    ...defined({ queuedAt: queued.get(prompt.id), stoppedBy: stopperOf(rows) }),
  };
}

const stopperOf = (rows: readonly Row[]): string | undefined =>
  rows.flatMap(({ event }) => (event.type === "message.complete" ? [event.stoppedBy] : [])).at(-1);
