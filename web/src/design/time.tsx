import { useEffect, useState } from "react";

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const TICK_MS = 30_000;

/** Says how long ago something was, in the reader's language. @param seconds - Unix seconds */
function agoText(seconds: number, now = Date.now() / 1000): string {
  const passed = seconds - now;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(passed) >= each) ?? (["second", 1] as const);
  return Math.abs(passed) < 45 ? "just now" : relative.format(Math.round(passed / size), unit);
}

/** A moment: how long ago, and the exact time for who points at it. It goes on by itself. */
export function Ago({ at }: { readonly at: number }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)}>
      {agoText(at)}
    </time>
  );
}

const upTo = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** A moment as the clock of the reader has it. @param at - Unix seconds */
export function Moment({ at }: { readonly at: number }) {
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)}>
      {upTo.format(date)}
    </time>
  );
}

/** Gives the Unix seconds of a time as the API writes it. */
export const secondsOf = (text: string): number => Date.parse(text) / 1000;
