/**
 * Reads the milliseconds until a retry makes sense: `retry-after-ms`, else `retry-after` in seconds or as a date. A time
 * that is over is 0; a text that cannot be read gives `undefined`.
 */
export function retryAfter(header: (name: string) => string | undefined, now: number): number | undefined {
  const exact = number(header("retry-after-ms"));
  if (exact !== undefined) return Math.max(0, Math.round(exact));
  const text = header("retry-after");
  const seconds = number(text);
  if (seconds !== undefined) return Math.max(0, Math.round(seconds * 1000));
  const date = Date.parse(text ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function number(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
