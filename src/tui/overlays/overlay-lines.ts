import { forTerminalLine } from "../terminal-text.ts";
import { diffLines } from "../text/diff.ts";
import { BLANK, indented, type Line, line, span } from "../text/line.ts";
import { markdownLines } from "../text/markdown.ts";
import { fit, width } from "../text/width.ts";
import { wrapExact } from "../text/wrap.ts";
import type { ListItem, ListOverlay, Overlay, PagerOverlay } from "./overlay.ts";
import { visibleItems } from "./list.ts";

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Lines above and below the content of an overlay. */
export const OVERLAY_FRAME = 4;

export function overlayLines(overlay: Overlay, size: Size): readonly Line[] {
  switch (overlay.kind) {
    case "list":
      return listLines(overlay, size);
    case "pager":
      return pagerLines(overlay, size);
  }
}

function listLines(overlay: ListOverlay, { columns, rows }: Size): readonly Line[] {
  const items = visibleItems(overlay);
  const room = Math.max(1, rows - OVERLAY_FRAME);
  const top = Math.min(Math.max(0, overlay.chosen - room + 1), Math.max(0, items.length - room));
  const shown = items.slice(top, top + room);
  const widest = Math.max(0, ...shown.map(({ label }) => width(label)));
  const column = Math.min(widest, Math.max(16, Math.floor(columns * 0.5)));
  const body = shown.map((item, index) =>
    itemLine(item, { columns, column, active: top + index === overlay.chosen }),
  );
  const empty = overlay.loading ? "Loading…" : "Nothing here.";
  return [
    headLine(overlay, columns),
    BLANK,
    ...(body.length === 0 ? [line(`  ${empty}`, "dim")] : body),
    footLine(overlay, { columns, more: items.length - top - shown.length }),
  ];
}

function headLine({ title, filter }: ListOverlay, columns: number): Line {
  const typed =
    filter === "" ? span("  type to search", "dim") : span(`  ${fit(filter, columns - title.length - 6)}`);
  return [span(title, "bold", "accent"), typed];
}

function footLine(
  { confirm, renaming, keys }: ListOverlay,
  { columns, more }: { readonly columns: number; readonly more: number },
): Line {
  if (confirm !== undefined) return line(fit(`  ${confirm.question}`, columns), "warn");
  if (renaming !== undefined)
    return [span("  New title: ", "accent"), span(fit(renaming.text, columns - 14)), span("▏", "accent")];
  return line(fit(`  ${more > 0 ? `${more} more · ` : ""}${keys}`, columns), "dim");
}

function itemLine(
  { label, detail, current }: ListItem,
  {
    columns,
    column,
    active,
  }: { readonly columns: number; readonly column: number; readonly active: boolean },
): Line {
  const name = fit(forTerminalLine(label), column);
  const gap = " ".repeat(Math.max(0, column - width(name)) + 2);
  const room = columns - column - 6;
  return [
    span(active ? "❯ " : "  ", "accent"),
    span(current ? "● " : "  ", "ok"),
    active ? span(name, "chosen") : span(name),
    ...(room < 6 || detail === "" ? [] : [span(gap), span(fit(forTerminalLine(detail), room), "dim")]),
  ];
}

/** The text of a pager as lines. */
export function pagerContent({ text, format }: PagerOverlay, columns: number): readonly Line[] {
  const inner = Math.max(8, columns - 2);
  switch (format) {
    case "plain":
      return indented(wrapExact([span(text)], inner), "  ");
    case "markdown":
      return indented(markdownLines(text, inner), "  ");
    case "diff":
      return indented(diffLines(text, inner), "  ");
  }
}

function pagerLines(overlay: PagerOverlay, { columns, rows }: Size): readonly Line[] {
  const content = pagerContent(overlay, columns);
  const room = Math.max(1, rows - OVERLAY_FRAME);
  const top = Math.min(overlay.top, Math.max(0, content.length - room));
  const shown = content.slice(top, top + room);
  const end = top + shown.length >= content.length;
  const position = content.length <= room ? "" : `${top + 1}–${top + shown.length} of ${content.length} · `;
  const keys = `${position}${end ? "" : "Space next page · "}↑↓ scroll · Esc closes`;
  return [
    line(fit(overlay.title, columns), "bold", "accent"),
    BLANK,
    ...shown,
    line(fit(`  ${keys}`, columns), "dim"),
  ];
}
