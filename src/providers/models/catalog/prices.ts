import type { Usage } from "../../../core/index.ts";
import type { TokenPrice } from "./model-facts.ts";
import { familyName } from "./families.ts";

/** List prices of hosted models, US dollars per million tokens. The configuration goes before them. */
const LIST: Readonly<Record<string, TokenPrice>> = {
  "gpt-3.5-turbo": { input: 0.5, output: 1.5 },
  "gpt-4-turbo": { input: 10, output: 30 },
  "gpt-4o": { input: 2.5, output: 10, cacheRead: 1.25 },
  "gpt-4o-mini": { input: 0.15, output: 0.6, cacheRead: 0.075 },
  "gpt-4.1": { input: 2, output: 8, cacheRead: 0.5 },
  "gpt-4.1-mini": { input: 0.4, output: 1.6, cacheRead: 0.1 },
  "gpt-4.1-nano": { input: 0.1, output: 0.4, cacheRead: 0.025 },
  "gpt-5": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5-mini": { input: 0.25, output: 2, cacheRead: 0.025 },
  "gpt-5-nano": { input: 0.05, output: 0.4, cacheRead: 0.005 },
  "gpt-5.1": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5.2": { input: 1.75, output: 14, cacheRead: 0.175 },
  o1: { input: 15, output: 60, cacheRead: 7.5 },
  o3: { input: 2, output: 8, cacheRead: 0.5 },
  "o3-mini": { input: 1.1, output: 4.4, cacheRead: 0.55 },
  "o4-mini": { input: 1.1, output: 4.4, cacheRead: 0.275 },
  "claude-opus-4-5": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  "claude-sonnet-4-5": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-haiku-4-5": { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
};

/** The end of another name of the same model: a date, `latest`, `preview`. */
const RELEASE = /^-(\d{4}-\d{2}-\d{2}|\d{4,8}|latest|preview)$/;

/** Finds the list price of a model by its exact name or a release of it. A similar name counts for nothing. */
export function listPrice(model: string): TokenPrice | undefined {
  const name = familyName(model);
  if (Object.hasOwn(LIST, name)) return LIST[name];
  const known = Object.keys(LIST).find((key) => name.startsWith(key) && RELEASE.test(name.slice(key.length)));
  return known === undefined ? undefined : LIST[known];
}

/** Computes the US dollars for a usage; its input counts cached tokens too. */
export function costOf(price: TokenPrice, usage: Omit<Usage, "cost">): number {
  const { cacheRead, cacheWrite } = usage;
  const fresh = Math.max(0, usage.input - cacheRead - cacheWrite);
  const dollars =
    fresh * price.input +
    cacheRead * (price.cacheRead ?? price.input) +
    cacheWrite * (price.cacheWrite ?? price.input) +
    usage.output * price.output;
  return dollars / 1_000_000;
}
