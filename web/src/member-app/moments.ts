const DAY_MS = 86_400_000;
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long" });
const date = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const dateOfYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });

/** The clock of the reader. @param at - Unix seconds */
export const clockTime = (at: number): string => clock.format(at * 1000);

/** The day of the reader's calendar, as they would say it. @param at - Unix seconds */
export function dayName(at: number, now = new Date()): string {
  const then = new Date(at * 1000);
  const days = Math.round((midnight(now) - midnight(then)) / DAY_MS);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days < 7) return weekday.format(then);
  return (then.getFullYear() === now.getFullYear() ? date : dateOfYear).format(then);
}

/** The same for a list: of today, the time. @param at - Unix seconds */
export function listTime(at: number): string {
  const day = dayName(at);
  return day === "Today" ? clockTime(at) : day;
}

const midnight = (day: Date): number => new Date(day).setHours(0, 0, 0, 0);
