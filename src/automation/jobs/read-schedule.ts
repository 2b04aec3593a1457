import { HostError } from "../../shared/errors/host-error.ts";
import { readDayPhrase } from "./day-phrase.ts";
import { cron, nextDue, type Schedule } from "./schedule.ts";
import { fromWall } from "../../shared/text/zoned-time.ts";

const MINUTE = 60_000;
/** A moment that has only just passed is taken as now. */
const JUST_NOW = 2 * MINUTE;
const LONGEST_MINUTES = 366 * 24 * 60;
const LONGEST = 200;

/** The context of a schedule that is read: the time, and the zone of wall-clock times. */
export interface ScheduleContext {
  readonly now: number;
  readonly zone: string;
}

/**
 * Reads a schedule: `every 2h`, `30m`, `in 10 minutes`, `weekdays at 9am`, `0 9 * * 1-5`, `2026-03-01T09:00`.
 *
 * @throws HostError `invalid_params` with the ways in which one can be written
 */
export function readSchedule(text: string, here: ScheduleContext): Schedule {
  const given = text.trim().replaceAll(/\s+/g, " ");
  if (given === "" || given.length > LONGEST) throw unreadable(given);
  const lower = given.toLowerCase();
  const exact = readDelay(lower, here) ?? readInterval(lower) ?? readMoment(given, here);
  const schedule = exact ?? readCron(given, here) ?? readPhrase(lower);
  if (schedule === undefined) throw unreadable(given);
  return schedule;
}

function readDelay(text: string, { now }: ScheduleContext): Schedule | undefined {
  const delay = /^in (.+)$/.exec(text)?.[1];
  if (delay === undefined) return undefined;
  const minutes = readDuration(delay);
  if (minutes === undefined) throw unreadable(text);
  return { kind: "once", runAt: now + minutes * MINUTE, display: `once, in ${durationShown(minutes)}` };
}

function readInterval(text: string): Schedule | undefined {
  const minutes = readDuration(text.replace(/^every /, ""), text.startsWith("every ") ? 1 : undefined);
  if (minutes === undefined) return undefined;
  return { kind: "interval", minutes, display: `every ${durationShown(minutes)}` };
}

const UNITS: readonly (readonly [pattern: RegExp, minutes: number])[] = [
  [/^(?:m|mins?|minutes?)$/, 1],
  [/^(?:h|hrs?|hours?)$/, 60],
  [/^(?:d|days?)$/, 24 * 60],
];

/** Whole minutes of `30m`, `2 hours`, `1.5h`; of `hour` too when a number may be left out. */
function readDuration(text: string, otherwise?: number): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,6}(?:\.\d{1,3})?)? ?([a-z]+)$/.exec(text) ?? [];
  const factor = UNITS.find(([pattern]) => pattern.test(unit))?.[1];
  const count = amount === undefined ? otherwise : Number(amount);
  if (factor === undefined || count === undefined) return undefined;
  const minutes = Math.round(count * factor);
  if (minutes < 1 || minutes > LONGEST_MINUTES) {
    throw new HostError("invalid_params", `"${text}" must be between a minute and a year.`);
  }
  return minutes;
}

const durationShown = (minutes: number): string => {
  if (minutes % 1440 === 0) return `${minutes / 1440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
};

const MOMENT =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2})?(?:\.\d{1,9})?)?(Z|z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

/** An ISO date or time; without an offset it is meant in the owner's zone. */
function readMoment(text: string, { now, zone }: ScheduleContext): Schedule | undefined {
  const match = MOMENT.exec(text);
  if (match === null) return undefined;
  const [, date = "", time = "00:00", seconds = ":00", offset] = match;
  const shown = Date.parse(`${date}T${time}${seconds}Z`);
  if (Number.isNaN(shown) || new Date(shown).toISOString().slice(0, 10) !== date) {
    throw new HostError("invalid_params", `"${text}" is no date of the calendar.`);
  }
  const runAt = offset === undefined ? fromWall(shown, zone) : shown - readOffset(offset);
  if (runAt < now - JUST_NOW) {
    throw new HostError("invalid_params", `"${text}" has passed. Give a time that is still to come.`);
  }
  return { kind: "once", runAt, display: `once at ${date} ${time}${offset ?? ""}` };
}

function readOffset(offset: string): number {
  if (offset.toLowerCase() === "z") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
}

/** Five or six fields of digits, names, `*`, `-`, `,` and `/`. */
function readCron(text: string, { now, zone }: ScheduleContext): Schedule | undefined {
  const fields = text.split(" ");
  const shaped = fields.length === 5 || fields.length === 6;
  if (
    !shaped ||
    !fields.every((field) => /^[\d*/,\-A-Za-z]+$/.test(field)) ||
    !/[\d*]/.test(fields[0] ?? "")
  ) {
    return undefined;
  }
  const schedule: Schedule = { kind: "cron", expr: text, display: text };
  try {
    cron(text, zone);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^CronPattern: /, "") : String(cause);
    throw new HostError("invalid_params", `"${text}" is no cron expression: ${why}`, { cause });
  }
  if (nextDue(schedule, { after: now, zone, anchor: now }) === undefined) {
    throw new HostError("invalid_params", `"${text}" never comes.`);
  }
  return schedule;
}

function readPhrase(text: string): Schedule | undefined {
  const phrase = readDayPhrase(text);
  return phrase && { kind: "cron", ...phrase };
}

const unreadable = (text: string): HostError =>
  new HostError(
    "invalid_params",
    `Invalid schedule ${JSON.stringify(text.slice(0, 80))}. Write an interval ("every 2h", "30m"), a delay ("in 10m"), days ("weekdays at 9am"), a cron expression ("0 9 * * 1-5") or a time ("2026-03-01T09:00").`,
    { details: { subject: "schedule" } },
  );
