/** The limits of an endpoint, as the headers of an answer give them. */
export interface RequestLimits {
  /** Requests that may still be made. */
  readonly remaining: number;
  /** Milliseconds until there are more. */
  readonly resetMs: number;
}

type Header = (name: string) => string | undefined;

/** Endpoints count requests and tokens apart; the one that is used up first limits the next request. */
const KINDS = ["requests", "tokens"];
const FAMILIES = [
  ["x-ratelimit-remaining-*", "x-ratelimit-reset-*"],
  ["anthropic-ratelimit-*-remaining", "anthropic-ratelimit-*-reset"],
] as const;

/**
 * Reads the usual rate limit headers; `undefined` when nothing in them limits the next request.
 *
 * @param now - Unix milliseconds, for resets that are dates
 */
export function limitsInHeaders(header: Header, now: number): RequestLimits | undefined {
  for (const [remaining, reset] of FAMILIES) {
    for (const kind of KINDS) {
      const left = count(header(remaining.replace("*", kind)));
      const resetMs = resetIn(header(reset.replace("*", kind)), now);
      if (left === undefined || resetMs === undefined || resetMs <= 0) continue;
      // The tokens that are left may be enough for one more request.
      if (kind === "requests" || left === 0) return { remaining: left, resetMs };
    }
  }
  return undefined;
}

function count(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds until a reset: `6m0s`, `20ms`, plain seconds, or a date. */
function resetIn(text: string | undefined, now: number): number | undefined {
  const value = text?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  if (/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(value)) {
    const parts = value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g);
    return Math.round([...parts].reduce((sum, [, n, unit]) => sum + Number(n) * (UNITS[unit ?? ""] ?? 0), 0));
  }
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}
