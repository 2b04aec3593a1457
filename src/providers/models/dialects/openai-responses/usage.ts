import { isJsonObject } from "../../../../shared/json/json.ts";
import { detailsIn, type ReportedUsage, tokenCount } from "../../reply/reported-usage.ts";

/** Usage as responses endpoints report it; `undefined` when its numbers cannot be true. */
export function readResponsesUsage(value: unknown): ReportedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = tokenCount(value["input_tokens"]);
  const output = tokenCount(value["output_tokens"]);
  if (input === undefined || output === undefined) return undefined;
  const details = detailsIn(value["input_tokens_details"]);
  const cacheRead = Math.min(input, tokenCount(details["cached_tokens"]) ?? 0);
  const cacheWrite = Math.min(input - cacheRead, tokenCount(details["cache_write_tokens"]) ?? 0);
  const reasoning = tokenCount(detailsIn(value["output_tokens_details"])["reasoning_tokens"]) ?? 0;
  return { input, output, reasoning: Math.min(output, reasoning), cacheRead, cacheWrite };
}
