import { isJsonObject } from "../../../../shared/json/json.ts";
import { detailsIn, type ReportedUsage, reportedUsage } from "../../reply/reported-usage.ts";

/** Reads usage as responses endpoints report it; `undefined` when its numbers cannot be true. */
export function readResponsesUsage(value: unknown): ReportedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const details = detailsIn(value["input_tokens_details"]);
  return reportedUsage({
    input: value["input_tokens"],
    output: value["output_tokens"],
    cacheRead: details["cached_tokens"],
    cacheWrite: details["cache_write_tokens"],
    reasoning: detailsIn(value["output_tokens_details"])["reasoning_tokens"],
  });
}
