import { Cron } from "croner";

/** A schedule: a cron expression in the owner's time zone, an interval in minutes, or one moment. */
export type Schedule =
  | { readonly kind: "cron"; readonly expr: string; readonly display: string }
  | { readonly kind: "interval"; readonly minutes: number; readonly display: string }
  | { readonly kind: "once"; readonly runAt: number; readonly display: string };

/** The moment before which nothing counts, and the zone in which wall-clock times are meant. */
export interface DueQuery {
  /** Unix milliseconds; the answer is later. */
  readonly after: number;
  /** IANA name. */
  readonly zone: string;
  /** Unix milliseconds from which intervals are counted: the newest due time, else the job's beginning. */
  readonly anchor: number;
}

const MINUTE = 60_000;
const LEAST_GRACE = 2 * MINUTE;
const MOST_GRACE = 120 * MINUTE;
const MOST_COUNTED = 1000;

/** The next due time, Unix milliseconds; `undefined` when there is none any more. */
export function nextDue(schedule: Schedule, { after, zone, anchor }: DueQuery): number | undefined {
  switch (schedule.kind) {
    case "once":
      return schedule.runAt > after ? schedule.runAt : undefined;
    case "interval": {
      const step = schedule.minutes * MINUTE;
      return anchor + step * Math.max(1, Math.floor((after - anchor) / step) + 1);
    }
    case "cron":
      return cron(schedule.expr, zone).nextRun(new Date(after))?.getTime();
  }
}

/**
 * The next due times of a job that is on schedule, the first of them included; Unix milliseconds.
 *
 * @param most - at most so many, fewer when it ends before
 */
export function nextDues(
  schedule: Schedule,
  { first, zone, most }: { readonly first: number | undefined; readonly zone: string; readonly most: number },
): readonly number[] {
  const dues: number[] = [];
  for (let due = first; due !== undefined && dues.length < most;) {
    dues.push(due);
    due = schedule.kind === "once" ? undefined : nextDue(schedule, { after: due, zone, anchor: due });
  }
  return dues;
}

/**
 * A cron expression with its library's rules for clock changes: a fixed time that the spring change skips comes at the
 * first minute after it, one that the autumn change repeats comes once.
 *
 * @throws Error when it cannot be read
 */
export function cron(expr: string, zone: string): Cron {
  return new Cron(expr, { timezone: zone, paused: true, mode: "5-or-6-parts", fixedTimeRule: "no-wildcard" });
}

/** The due times that have come: the one to run for, and those that were missed. */
export interface DueTimes {
  /** Absent when it is too late to run. */
  readonly run?: number;
  /** Those that passed without a run. */
  readonly missed?: MissedTimes;
}

/** A span of due times without a run: the first, the last, and how many; `more` when not all were counted. */
export interface MissedTimes {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly more: boolean;
}

interface DueSpan {
  readonly due: number;
  readonly now: number;
  readonly zone: string;
}

/**
 * Sorts the due times from `due` up to `now`: the newest is still run when it is late by at most half a period (2 to
 * 120 minutes), all others have been missed.
 */
export function sortDueTimes(schedule: Schedule, { due, now, zone }: DueSpan): DueTimes {
  const newest = newestDue(schedule, { due, now, zone });
  const next = nextDue(schedule, { after: newest, zone, anchor: due });
  const period = next === undefined ? LEAST_GRACE : next - newest;
  const grace = Math.min(MOST_GRACE, Math.max(LEAST_GRACE, period / 2));
  const late = now - newest > grace;
  const { count, before, more } = countDues(schedule, { due, newest, zone });
  if (late) return { missed: { from: due, to: newest, count, more } };
  if (count === 1) return { run: newest };
  return { run: newest, missed: { from: due, to: before, count: count - 1, more } };
}

/** The last due time that is not after `now`. */
function newestDue(schedule: Schedule, { due, now, zone }: DueSpan): number {
  switch (schedule.kind) {
    case "once":
      return due;
    case "interval": {
      const step = schedule.minutes * MINUTE;
      return due + Math.floor((now - due) / step) * step;
    }
    case "cron": {
      const [previous] = cron(schedule.expr, zone).previousRuns(1, new Date(now + 1));
      return Math.max(due, previous?.getTime() ?? due);
    }
  }
}

function countDues(
  schedule: Schedule,
  { due, newest, zone }: { readonly due: number; readonly newest: number; readonly zone: string },
): { readonly count: number; readonly before: number; readonly more: boolean } {
  let count = 1;
  let last = due;
  let before = due;
  while (last < newest && count < MOST_COUNTED) {
    const next = nextDue(schedule, { after: last, zone, anchor: due });
    if (next === undefined || next > newest) break;
    before = last;
    last = next;
    count += 1;
  }
  const more = last < newest;
  return { count, before: more ? newest : before, more };
}
