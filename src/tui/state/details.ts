import type { Detail } from "./entry.ts";
import type { ViewState } from "./view-state.ts";

/** The last ones are kept; further back, the session's log has them. */
const MOST_DETAILS = 20;

/** Keeps something to be read in full; what has no text has nothing to read. */
export function withDetail(view: ViewState, detail: Omit<Detail, "after">): ViewState {
  if (detail.text.trim() === "") return view;
  return { ...view, details: [...view.details, { ...detail, after: view.lastKey }].slice(-MOST_DETAILS) };
}

/** All that is kept as one text, the newest first. */
export const detailsText = (details: readonly Detail[]): string =>
  details
    .toReversed()
    .map(({ title, text }) => `── ${title}\n\n${text.trimEnd()}\n`)
    .join("\n");
