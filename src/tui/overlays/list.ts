import fuzzysort from "fuzzysort";
import type { ListItem, ListOverlay } from "./overlay.ts";

/** The items that match what was typed, the best first, then what else was found; all in their order when nothing was typed. */
export function visibleItems({ items, filter, found }: ListOverlay): readonly ListItem[] {
  if (filter.trim() === "") return items;
  const matches = fuzzysort.go(filter.trim(), items, { key: searchedText, threshold: 0.3 });
  const visible = matches.map(({ obj }) => obj);
  if (found?.filter !== filter) return visible;
  const known = new Set(visible.map(({ id }) => id));
  return [...visible, ...found.items.filter(({ id }) => !known.has(id))];
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
