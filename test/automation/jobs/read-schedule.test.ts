import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { readSchedule } from "../../../src/automation/jobs/read-schedule.ts";
import { nextDue, type Schedule } from "../../../src/automation/jobs/schedule.ts";
import { isoInZone } from "../../../src/shared/text/zoned-time.ts";
import { times } from "../../kit/counts.ts";

const zone = "Europe/Berlin";
/** A Thursday. */
const now = Date.parse("2026-01-01T08:00:00Z");
const read = (text: string): Schedule => readSchedule(text, { now, zone });

const next = (text: string, count: number, from = now): readonly string[] => {
  const schedule = read(text);
  const found: string[] = [];
  let after = from;
  for (let index = 0; index < count; index += 1) {
    const due = nextDue(schedule, { after, zone, anchor: from });
    if (due === undefined) break;
    found.push(isoInZone(due, zone));
    after = due;
  }
  return found;
};

describe("a schedule can be written as", () => {
  test.each([
    ["every 2h", { kind: "interval", minutes: 120, display: "every 2h" }],
    ["every hour", { kind: "interval", minutes: 60, display: "every 1h" }],
    ["30m", { kind: "interval", minutes: 30, display: "every 30m" }],
    ["1.5h", { kind: "interval", minutes: 90, display: "every 90m" }],
    ["Every 3 Days", { kind: "interval", minutes: 4320, display: "every 3d" }],
    ["in 30m", { kind: "once", runAt: now + 1_800_000, display: "once, in 30m" }],
    ["in 2 hours", { kind: "once", runAt: now + 7_200_000, display: "once, in 2h" }],
    ["0 9 * * 1-5", { kind: "cron", expr: "0 9 * * 1-5", display: "0 9 * * 1-5" }],
    ["0 9 * * MON-FRI", { kind: "cron", expr: "0 9 * * MON-FRI", display: "0 9 * * MON-FRI" }],
    ["*/30 0 9 * * *", { kind: "cron", expr: "*/30 0 9 * * *", display: "*/30 0 9 * * *" }],
    ["every monday 9am", { kind: "cron", expr: "0 9 * * 1", display: "every monday at 09:00" }],
    ["weekdays at 9am", { kind: "cron", expr: "0 9 * * 1,2,3,4,5", display: "weekdays at 09:00" }],
    ["every weekday at 8", { kind: "cron", expr: "0 8 * * 1,2,3,4,5", display: "weekdays at 08:00" }],
    ["weekends at noon", { kind: "cron", expr: "0 12 * * 0,6", display: "weekends at 12:00" }],
    ["every day at 14:00", { kind: "cron", expr: "0 14 * * *", display: "every day at 14:00" }],
    ["daily at midnight", { kind: "cron", expr: "0 0 * * *", display: "every day at 00:00" }],
    [
      "monday, wednesday and friday at 9:30am",
      { kind: "cron", expr: "30 9 * * 1,3,5", display: "every monday, wednesday, friday at 09:30" },
    ],
    ["tue thu 9:30pm", { kind: "cron", expr: "30 21 * * 2,4", display: "every tuesday, thursday at 21:30" }],
    [
      "2026-03-01T09:00",
      { kind: "once", runAt: Date.parse("2026-03-01T08:00:00Z"), display: "once at 2026-03-01 09:00" },
    ],
    [
      "2026-03-01T09:00:00-05:00",
      { kind: "once", runAt: Date.parse("2026-03-01T14:00:00Z"), display: "once at 2026-03-01 09:00-05:00" },
    ],
    [
      "2026-07-01",
      { kind: "once", runAt: Date.parse("2026-06-30T22:00:00Z"), display: "once at 2026-07-01 00:00" },
    ],
  ])("%s", (text, schedule) => {
    expect(read(text)).toEqual(schedule);
  });
});

test.each([
  "",
  "soon",
  "every",
  "every monday at 25:00",
  "every day at 13pm",
  "0 9 * *",
  "61 9 * * *",
  "0 0 30 2 *",
  "2026-02-30",
  "2026-03-01T09:00+99:99",
  "2025-12-31T23:00",
  "in 0m",
  "in two days",
  "every 400d",
  "0 9 * * *; rm -rf /",
  "x".repeat(10_000),
])("%j is refused with the way to write it", (text) => {
  expect(() => read(text)).toThrow(HostError);
});

test("a moment that passed less than two minutes ago is taken as now", () => {
  expect(read("2026-01-01T08:59").kind).toBe("once");
  expect(() => read("2026-01-01T08:57")).toThrow("has passed");
});

test("a fixed time that the spring change skips comes at the first minute after it", () => {
  const from = Date.parse("2026-03-28T00:00:00Z");
  expect(next("30 2 * * *", 3, from)).toEqual([
    "2026-03-28T02:30:00+01:00",
    "2026-03-29T03:00:00+02:00",
    "2026-03-30T02:30:00+02:00",
  ]);
});

test("a fixed time that the autumn change repeats comes once", () => {
  const from = Date.parse("2026-10-24T12:00:00Z");
  expect(next("30 2 * * *", 2, from)).toEqual(["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"]);
});

test.each([
  ["Europe/Berlin", "2026-03-29T02:30", "2026-03-29T03:00:00+02:00"],
  ["America/New_York", "2026-03-08T02:30", "2026-03-08T03:00:00-04:00"],
  ["Australia/Sydney", "2026-10-04T02:00", "2026-10-04T03:00:00+11:00"],
  ["Australia/Lord_Howe", "2026-10-04T02:29", "2026-10-04T02:30:00+11:00"],
  ["America/Santiago", "2026-09-06T00:30", "2026-09-06T01:00:00-03:00"],
])("a moment that %s skips comes right after the gap: %s", (where, given, due) => {
  const schedule = readSchedule(given, { now, zone: where });
  expect(schedule.kind === "once" && isoInZone(schedule.runAt, where)).toBe(due);
});

test.each([
  ["Europe/Berlin", "2026-10-25T02:30", "2026-10-25T02:30:00+02:00"],
  ["America/New_York", "2026-11-01T01:30", "2026-11-01T01:30:00-04:00"],
  ["Australia/Sydney", "2026-04-05T02:30", "2026-04-05T02:30:00+11:00"],
  ["America/Santiago", "2026-04-04T23:30", "2026-04-04T23:30:00-03:00"],
])("a moment that %s has twice is the first: %s", (where, given, due) => {
  const schedule = readSchedule(given, { now, zone: where });
  expect(schedule.kind === "once" && isoInZone(schedule.runAt, where)).toBe(due);
});

test("an interval keeps its pace over a change of clocks", () => {
  const from = Date.parse("2026-03-28T23:00:00Z");
  expect(next("every 1h", 3, from)).toEqual([
    "2026-03-29T01:00:00+01:00",
    "2026-03-29T03:00:00+02:00",
    "2026-03-29T04:00:00+02:00",
  ]);
});

test("no text takes long or throws anything but an explanation", () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom("every", "in", "monday", "9am", "*", "*/5", "0", "at", "30m", "2026-01-05", "and", ","),
    fc.constantFrom("__proto__", "constructors"),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (words) => {
      try {
        const schedule = read(words.join(" "));
        expect(nextDue(schedule, { after: now, zone, anchor: now }) ?? 0).toBeGreaterThanOrEqual(0);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(HostError);
      }
    }),
    { numRuns: times(10_000) },
  );
});
