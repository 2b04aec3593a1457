import { isJsonObject } from "../../../shared/json/json.ts";
import type { ModelPart } from "../../../core/index.ts";

export type ReportedUsage = Extract<ModelPart, { type: "usage" }>["usage"];

/** No call counts more; larger numbers are an endpoint's mistake. */
const MOST_TOKENS = 1e9;

/** A number of tokens, or `undefined` when it cannot be true. */
export const tokenCount = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= MOST_TOKENS ? Math.round(value) : undefined;

/** The object under a key that may be missing or null. */
export const detailsIn = (value: unknown): Readonly<Record<string, unknown>> =>
  isJsonObject(value) ? value : {};
