/** Gives the fields that are other than those that a form began with: what others changed meanwhile is not taken back. */
export const changedFields = (
  before: object,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const known = new Map<string, unknown>(Object.entries(before));
  const isOther = ([name, value]: readonly [string, unknown]): boolean =>
    JSON.stringify(value ?? null) !== JSON.stringify(known.get(name) ?? null);
  return Object.fromEntries(Object.entries(given).filter(isOther));
};
