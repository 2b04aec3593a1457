import { NOTHING_WRITTEN, type Written, isSame } from "./written.ts";

/** Walking through what was sent before; the draft waits at the end. */
export interface Recall {
  /** Oldest first. */
  readonly entries: readonly Written[];
  /** Index of what is shown; the number of entries while the draft is shown. */
  readonly at: number;
  readonly draft: Written;
}

const MOST_HISTORY = 1000;

export const recallOf = (entries: readonly Written[]): Recall => ({
  entries,
  at: entries.length,
  draft: NOTHING_WRITTEN,
});

/** Adds what was sent; the same again is one entry. */
export function remembered({ entries }: Recall, sent: Written): Recall {
  const last = entries.at(-1);
  const isAgain = last !== undefined && isSame(last, sent);
  const kept = isAgain ? entries : [...entries, sent].slice(-MOST_HISTORY);
  return recallOf(kept);
}

/** Goes back or forth; `undefined` when there is nothing there. */
export function recallNext(
  recall: Recall,
  by: -1 | 1,
  current: Written,
): { readonly recall: Recall; readonly shown: Written } | undefined {
  const at = recall.at + by;
  if (at < 0 || at > recall.entries.length) return undefined;
  const draft = recall.at === recall.entries.length ? current : recall.draft;
  return { recall: { ...recall, at, draft }, shown: recall.entries[at] ?? draft };
}

/** The text of the person's own: what is only recalled is none, the draft behind it is. */
export const draftOf = (composer: { readonly editor: Written; readonly recall: Recall }): Written =>
  isRecalled(composer.recall) ? composer.recall.draft : composer.editor;

/** Whether a prompt from before is shown, as it was sent. */
export const isRecalled = ({ at, entries }: Recall): boolean => at < entries.length;

/** Whether nothing was written since the person has gone back, or back and forth again to their draft. */
export const isWalking = (recall: Recall): boolean => isRecalled(recall) || recall.draft.text !== "";

/** The newest entry before `at` that contains the words, whatever their case. */
export function searchBack(entries: readonly Written[], words: string, at: number): number | undefined {
  const wanted = words.toLowerCase();
  const found = entries.slice(0, at).findLastIndex(({ text }) => text.toLowerCase().includes(wanted));
  return found === -1 ? undefined : found;
}
