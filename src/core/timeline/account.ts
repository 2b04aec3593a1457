import { type TurnSegment, type TimeSpan, SPAN_KINDS, type SpanKind, type Stretch } from "./spans.ts";

interface Interval {
  readonly start: number;
  readonly end: number;
}

/**
 * Divides a turn's time among the kinds of its spans: each moment counts once, for the first kind of `SPAN_KINDS` that goes on
 * then. A call does not work while it waits for a person or for its subagents; so a wait counts only while nothing else is done.
 */
export function accountFor(spans: readonly TimeSpan[], turn: Interval): readonly TurnSegment[] {
  const changes = workOf(spans, turn.end)
    .flatMap(({ kind, ...interval }) => {
      const start = Math.max(interval.start, turn.start);
      const end = Math.min(interval.end, turn.end);
      return start < end ? [{ at: start, kind, by: 1 } as const, { at: end, kind, by: -1 } as const] : [];
    })
    .sort((a, b) => a.at - b.at);
  const active = new Map<SpanKind, number>();
  const segments: { kind: SpanKind; start: number; end: number }[] = [];
  let from = turn.start;
  const close = (at: number): void => {
    if (at <= from) return;
    const kind = SPAN_KINDS.find((each) => (active.get(each) ?? 0) > 0) ?? "host";
    const last = segments.at(-1);
    if (last?.kind === kind) last.end = at;
    else segments.push({ kind, start: from, end: at });
    from = at;
  };
  for (const { at, kind, by } of changes) {
    close(at);
    active.set(kind, (active.get(kind) ?? 0) + by);
  }
  close(turn.end);
  return segments;
}

/** Adds up what each kind accounts for, milliseconds. */
export function totalsOf(segments: readonly TurnSegment[]): Record<SpanKind, number> {
  // Every kind is a key.
  const totals = Object.fromEntries(SPAN_KINDS.map((kind) => [kind, 0])) as Record<SpanKind, number>;
  for (const { kind, start, end } of segments) totals[kind] += end - start;
  return totals;
}

function workOf(
  spans: readonly TimeSpan[],
  now: number,
): readonly (Interval & { readonly kind: SpanKind })[] {
  const idle = new Map<string, Interval[]>();
  const addIdle = (key: string, span: Stretch): void => {
    const known = idle.get(key);
    if (known === undefined) idle.set(key, [closed(span, now)]);
    else known.push(closed(span, now));
  };
  for (const span of spans) {
    if (span.kind === "subagent") addIdle(span.callId, span);
    if (span.kind === "waiting") addIdle(span.childId ?? span.callId, span);
  }
  return spans.flatMap((span) => {
    const { kind } = span;
    const key = kind === "tool" ? span.callId : kind === "subagent" ? span.childId : undefined;
    const without = key === undefined ? [] : (idle.get(key) ?? []);
    return subtract(closed(span, now), without).map((interval) => ({ kind, ...interval }));
  });
}

const closed = ({ start, end }: Stretch, now: number): Interval => ({
  start,
  end: end ?? Math.max(now, start),
});

function subtract({ start, end }: Interval, holes: readonly Interval[]): readonly Interval[] {
  const left: Interval[] = [];
  let from = start;
  for (const hole of holes.toSorted((a, b) => a.start - b.start)) {
    if (hole.end <= from) continue;
    if (hole.start >= end) break;
    if (hole.start > from) left.push({ start: from, end: hole.start });
    from = hole.end;
  }
  if (from < end) left.push({ start: from, end });
  return left;
}
