import type { ModelPart } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";

/** The usage of one reply in the host's words: cached tokens are part of the input. */
export type ReportedUsage = Extract<ModelPart, { type: "usage" }>["usage"];

/** The counts of a reply as an endpoint sent them. */
export interface ReportedCounts {
  readonly input: unknown;
  readonly output: unknown;
  readonly cacheRead: unknown;
  readonly cacheWrite: unknown;
  readonly reasoning: unknown;
}

/** No call counts more; larger numbers are an endpoint's mistake. */
const MOST_TOKENS = 1e9;

/** A number of tokens, or `undefined` when it cannot be true. */
export const tokenCount = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= MOST_TOKENS ? Math.round(value) : undefined;

/** Reads counts whose input has the cached tokens in it; `undefined` when they cannot be true. */
export function reportedUsage(counts: ReportedCounts): ReportedUsage | undefined {
  const input = tokenCount(counts.input);
  const output = tokenCount(counts.output);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = Math.min(input, tokenCount(counts.cacheRead) ?? 0);
  const cacheWrite = Math.min(input - cacheRead, tokenCount(counts.cacheWrite) ?? 0);
  return {
    input,
    output,
    reasoning: Math.min(output, tokenCount(counts.reasoning) ?? 0),
    cacheRead,
    cacheWrite,
  };
}

/** The object under a key that may be missing or null. */
export const detailsIn = (value: unknown): Readonly<Record<string, unknown>> =>
  isJsonObject(value) ? value : {};
