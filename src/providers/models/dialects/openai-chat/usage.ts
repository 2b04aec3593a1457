import { isJsonObject } from "../../../../shared/json/json.ts";
import { detailsIn, type ReportedUsage, reportedUsage, tokenCount } from "../../reply/reported-usage.ts";

/** Reads usage as chat endpoints report it; `undefined` when its numbers cannot be true. */
export function readChatUsage(value: unknown): ReportedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = detailsIn(value["prompt_tokens_details"]);
  return reportedUsage({
    input: value["prompt_tokens"],
    output: value["completion_tokens"],
    cacheRead: tokenCount(prompt["cached_tokens"]) ?? value["prompt_cache_hit_tokens"],
    cacheWrite: prompt["cache_write_tokens"],
    reasoning: detailsIn(value["completion_tokens_details"])["reasoning_tokens"],
  });
}
