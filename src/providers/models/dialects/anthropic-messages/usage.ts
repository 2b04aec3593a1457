import { detailsIn, type ReportedUsage, reportedUsage, tokenCount } from "../../reply/reported-usage.ts";

type Json = Readonly<Record<string, unknown>>;

/** Counts of a message as they came, the beginning's with what its end corrected. */
export function mergedUsage(known: Json, news: unknown): Json {
  const counted = Object.entries(detailsIn(news)).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return { ...known, ...Object.fromEntries(counted) };
}

/** Reads usage whose input has no cached tokens in it; `undefined` when its numbers cannot be true. */
export function readMessagesUsage(counts: Json): ReportedUsage | undefined {
  const fresh = tokenCount(counts["input_tokens"]);
  if (fresh === undefined) return undefined;
  const cacheRead = tokenCount(counts["cache_read_input_tokens"]) ?? 0;
  const cacheWrite = tokenCount(counts["cache_creation_input_tokens"]) ?? 0;
  return reportedUsage({
    input: fresh + cacheRead + cacheWrite,
    output: counts["output_tokens"],
    cacheRead,
    cacheWrite,
    reasoning: detailsIn(counts["output_tokens_details"])["thinking_tokens"],
  });
}
