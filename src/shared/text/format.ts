const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in its largest unit: `now`, `5m`, `3h`, `12d`. */
export function formatAge(ms: number): string {
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}

/** 1234567 as `1,234,567`, whatever the locale. */
export const groupDigits = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
