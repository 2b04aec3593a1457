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

const BYTE_UNITS = ["kB", "MB", "GB", "TB"] as const;

/** A size in a few characters: `512 B`, `1.4 MB`, `230 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let size = bytes / 1000;
  let unit = 0;
  for (; size >= 999.5 && unit < BYTE_UNITS.length - 1; unit += 1) size /= 1000;
  return `${size.toFixed(size < 9.95 ? 1 : 0)} ${BYTE_UNITS[unit] ?? ""}`;
}
