/** A path of ids and words, each as it may stand in an address. */
export const pathOf = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join("");
