import { isJsonObject } from "../../../core/json.ts";
import type { ModelPart } from "../../../core/model.ts";

export type ReportedUsage = Extract<ModelPart, { type: "usage" }>["usage"];

/** No call counts more; larger numbers are an endpoint's mistake. */
const MOST_TOKENS = 1e9;

/** Usage as chat endpoints report it; `undefined` when its numbers cannot be true. */
export function readUsage(value: unknown): ReportedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = count(value["prompt_tokens"]);
  const output = count(value["completion_tokens"]);
  if (input === undefined || output === undefined) return undefined;
  const prompt = detailsIn(value["prompt_tokens_details"]);
  const cacheRead = Math.min(
    input,
    count(prompt["cached_tokens"]) ?? count(value["prompt_cache_hit_tokens"]) ?? 0,
  );
  const cacheWrite = Math.min(input - cacheRead, count(prompt["cache_write_tokens"]) ?? 0);
  const reasoning = Math.min(
    output,
    count(detailsIn(value["completion_tokens_details"])["reasoning_tokens"]) ?? 0,
  );
  return { input, output, reasoning, cacheRead, cacheWrite };
}

const detailsIn = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {});

const count = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= MOST_TOKENS ? Math.round(value) : undefined;
