/** Walking through what was sent before; the draft waits at the end. */
export interface Recall {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** Index of what is shown; the number of entries while the draft is shown. */
  readonly at: number;
  readonly draft: string;
}

const MOST_HISTORY = 1000;

export const recallOf = (entries: readonly string[]): Recall => ({ entries, at: entries.length, draft: "" });

/** Adds what was sent; the same again is one entry. */
export function remembered({ entries }: Recall, text: string): Recall {
  const kept = entries.at(-1) === text ? entries : [...entries, text].slice(-MOST_HISTORY);
  return recallOf(kept);
}

/** Goes back or forth; `undefined` when there is nothing there. */
export function recallNext(
  recall: Recall,
  by: -1 | 1,
  current: string,
): { readonly recall: Recall; readonly text: string } | undefined {
  const at = recall.at + by;
  if (at < 0 || at > recall.entries.length) return undefined;
  const draft = recall.at === recall.entries.length ? current : recall.draft;
  return { recall: { ...recall, at, draft }, text: recall.entries[at] ?? draft };
}

/** The newest entry before `at` that contains the words, whatever their case. */
export function searchBack(entries: readonly string[], words: string, at: number): number | undefined {
  const wanted = words.toLowerCase();
  const found = entries.slice(0, at).findLastIndex((each) => each.toLowerCase().includes(wanted));
  return found === -1 ? undefined : found;
}
