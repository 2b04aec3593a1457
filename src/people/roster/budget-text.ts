import { HostError } from "../../shared/errors/host-error.ts";
import { groupDigits } from "../../shared/text/format.ts";

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1000, m: 1_000_000 };
const MOST_DOLLARS = 1_000_000_000;

/** Tokens as people write them: `200000`, `200k`, `1.5m`. @throws HostError `invalid_params` */
export function readTokens(text: string): number {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)([km]?)$/.exec(compact(text)) ?? [];
  return checkTokens(digits === "" ? Number.NaN : Number(digits) * (UNITS[unit] ?? 1), text);
}

/** US dollars as people write them: `20`, `$2.50`. @throws HostError `invalid_params` */
export function readDollars(text: string): number {
  const [, digits = ""] = /^\$?(\d+(?:\.\d+)?)$/.exec(compact(text)) ?? [];
  return checkDollars(digits === "" ? Number.NaN : Number(digits), text);
}

/** @throws HostError `invalid_params` */
export function checkTokens(tokens: number, said = String(tokens)): number {
  if (Number.isSafeInteger(tokens) && tokens > 0) return tokens;
  throw noBudget(said, "a whole number of tokens above 0, such as 200000 or 200k");
}

/** @throws HostError `invalid_params` */
export function checkDollars(cost: number, said = String(cost)): number {
  if (cost > 0 && cost <= MOST_DOLLARS) return cost;
  throw noBudget(said, "US dollars above 0, such as 20 or 2.50");
}

/** A budget in a few words: `200,000 tokens and $20 a month`. */
export function budgetWords({
  tokens,
  cost,
}: {
  tokens?: number | undefined;
  cost?: number | undefined;
}): string {
  const parts = [
    ...(tokens === undefined ? [] : [`${groupDigits(tokens)} tokens`]),
    ...(cost === undefined ? [] : [`$${cost}`]),
  ];
  return `${parts.join(" and ")} a month`;
}

const compact = (text: string): string => text.trim().toLowerCase().replaceAll(/[_ ]/g, "");

const noBudget = (said: string, wanted: string): HostError =>
  new HostError(
    "invalid_params",
    `${JSON.stringify(said.slice(0, 40))} is no budget for a month. Write ${wanted}.`,
  );
