import { fit, width } from "./width.ts";

const SEPARATOR = " · ";

/** Those facts that say something, in one text. */
export const joinFacts = (...facts: readonly string[]): string =>
  facts.filter((fact) => fact !== "").join(SEPARATOR);

/**
 * Short facts in one line, as they stand between `·`. Where it is narrow those before the last go first, from the right:
 * the first says what it is about, the last how to get out of it.
 */
export function fitFacts(facts: string, columns: number): string {
  const shown = facts.split(SEPARATOR);
  while (shown.length > 1 && width(shown.join(SEPARATOR)) > columns)
    shown.splice(shown.length > 2 ? -2 : -1, 1);
  return fit(shown.join(SEPARATOR), columns);
}
