import fuzzysort from "fuzzysort";
import type { ListItem, ListOverlay } from "./overlay.ts";

/** The items that match what was typed, the best first; all in their order when nothing was. */
export function visibleItems({ items, filter }: ListOverlay): readonly ListItem[] {
  if (filter.trim() === "") return items;
  return fuzzysort.go(filter.trim(), items, { key: searchedText, threshold: 0.3 }).map(({ obj }) => obj);
}

/** What typing is compared with. */
export const searchedText = ({ search, label }: ListItem): string => search ?? label;

/** The item under the mark. */
export const chosenItem = (overlay: ListOverlay): ListItem | undefined =>
  visibleItems(overlay)[overlay.chosen];

/** Moves the mark; it stays within the list. */
export function moveChosen(overlay: ListOverlay, by: number): ListOverlay {
  const last = Math.max(0, visibleItems(overlay).length - 1);
  return { ...overlay, chosen: Math.min(last, Math.max(0, overlay.chosen + by)) };
}

/** Narrows the list; the mark goes to the best match. */
export const filterList = (overlay: ListOverlay, filter: string): ListOverlay => ({
  ...overlay,
  filter,
  chosen: 0,
});
