import { isJsonObject } from "../../../../shared/json/json.ts";
import { detailsIn, type ReportedUsage, tokenCount } from "../../reply/reported-usage.ts";

/** Usage as chat endpoints report it; `undefined` when its numbers cannot be true. */
export function readChatUsage(value: unknown): ReportedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = tokenCount(value["prompt_tokens"]);
  const output = tokenCount(value["completion_tokens"]);
  if (input === undefined || output === undefined) return undefined;
  const prompt = detailsIn(value["prompt_tokens_details"]);
  const cacheRead = Math.min(
    input,
    tokenCount(prompt["cached_tokens"]) ?? tokenCount(value["prompt_cache_hit_tokens"]) ?? 0,
  );
  const cacheWrite = Math.min(input - cacheRead, tokenCount(prompt["cache_write_tokens"]) ?? 0);
  const reasoning = Math.min(
    output,
    tokenCount(detailsIn(value["completion_tokens_details"])["reasoning_tokens"]) ?? 0,
  );
  return { input, output, reasoning, cacheRead, cacheWrite };
}
