/** A length of time in a few characters: `0.8 s`, `42 s`, `1 min 12 s`, `2 h 3 min`. @param seconds - not negative */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

/** A count in few characters. */
export const count = (value: number): string => compact.format(value);

/** Dollars, to the hundredth of a cent below one; nothing where they are none or not known. */
export const dollars = (value: number | undefined): string =>
  value === undefined || value === 0 ? "" : `$${value.toFixed(value < 1 ? 4 : 2)}`;
