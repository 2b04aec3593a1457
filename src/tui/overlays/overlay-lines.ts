import { forTerminalLine } from "../terminal/terminal-text.ts";
import { diffLines } from "../text/diff.ts";
import { BLANK, indented, type Line, line, span } from "../text/line.ts";
import { markdownLines } from "../text/markdown.ts";
import { fitFacts } from "../text/facts.ts";
import { fit, width } from "../text/width.ts";
import { wrap, wrapColumns } from "../text/wrap.ts";
import { CHORDS } from "./chords.ts";
import { GUTTER } from "../view/entry-lines.ts";
import { textRows, type WithCaret } from "../view/composer-lines.ts";
import type { FieldOverlay, ListItem, ListOverlay, Overlay, PagerOverlay } from "./overlay.ts";
import { chosenItem, visibleItems } from "./list.ts";

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Lines above and below the content of an overlay. */
export const OVERLAY_FRAME = 4;

export function overlayLines(overlay: Overlay, size: Size): WithCaret {
  switch (overlay.kind) {
    case "list":
      return { lines: listLines(overlay, size), caret: undefined };
    case "pager":
      return { lines: pagerLines(overlay, size), caret: undefined };
    case "field":
      return fieldLines(overlay, size);
    case "chords":
      return { lines: chordLines(size), caret: undefined };
  }
}

function fieldLines({ title, label, hidden, typed }: FieldOverlay, { columns, rows }: Size): WithCaret {
  const shown = hidden ? { text: "•".repeat(typed.text.length), caret: typed.caret } : typed;
  const room = Math.max(1, rows - OVERLAY_FRAME);
  const { lines, caret } = textRows(shown, { columns, rows: room, placeholder: "" });
  return {
    lines: [
      line(fit(title, columns), "bold", "accent"),
      BLANK,
      line(fit(`  ${label}`, columns)),
      ...lines,
      line(fit("  Enter goes on · Esc ends", columns), "dim"),
    ],
    caret: caret && { x: caret.x, y: caret.y + 3 },
  };
}

/** Columns that a chord takes at least. */
const CHORD_COLUMNS = 28;

/** The chords, side by side where there is room. */
function chordLines({ columns, rows }: Size): readonly Line[] {
  const all = Object.entries(CHORDS);
  const across = Math.max(1, Math.min(3, Math.floor((columns - GUTTER.length) / CHORD_COLUMNS)));
  const down = Math.ceil(all.length / across);
  const body = Array.from({ length: down }, (_, row): Line => {
    const chords = all.filter((_chord, index) => index % down === row);
    return chords.flatMap(([key, { about }]) => [
      span(`${GUTTER}${key} `, "accent"),
      span(about.padEnd(CHORD_COLUMNS - GUTTER.length - 2)),
    ]);
  });
  return [
    line(fit("Ctrl+X and then", columns), "bold", "accent"),
    BLANK,
    ...body.slice(0, Math.max(1, rows - OVERLAY_FRAME)),
    keyLine("Ctrl+X or Enter sessions · Esc closes", columns),
  ];
}

function listLines(overlay: ListOverlay, { columns, rows }: Size): readonly Line[] {
  const items = visibleItems(overlay);
  const cut = cutDetail(overlay, columns).slice(0, Math.max(0, rows - OVERLAY_FRAME - 1));
  const room = Math.max(1, rows - OVERLAY_FRAME - cut.length);
  const top = Math.min(Math.max(0, overlay.chosen - room + 1), Math.max(0, items.length - room));
  const shown = items.slice(top, top + room);
  const column = labelColumns(shown, columns);
  const body = shown.map((item, index) =>
    itemLine(item, { columns, column, active: top + index === overlay.chosen }),
  );
  const empty = overlay.loading
    ? "Loading…"
    : items.length < overlay.items.length
      ? "Nothing matches."
      : NOTHING[overlay.list];
  return [
    headLine(overlay, columns),
    BLANK,
    ...(body.length === 0 ? [line(`  ${empty}`, "dim")] : body),
    ...cut,
    footLine(overlay, { columns, more: items.length - top - shown.length }),
  ];
}

/** Columns of the labels: as many as the widest takes, and half of them at most. */
function labelColumns(items: readonly ListItem[], columns: number): number {
  const widest = Math.max(0, ...items.map(({ label }) => width(label)));
  return Math.min(widest, Math.max(16, Math.floor(columns * 0.5)));
}

/** Columns beside the label and its detail: the marks, and the gap between the two. */
const BESIDE = 6;
/** Lines that what is said of the marked one takes below the list at most. */
const MOST_CUT = 3;

/** What is said of the marked one, where there is no room for all of it in its line. */
function cutDetail(overlay: ListOverlay, columns: number): readonly Line[] {
  const { detail = "" } = chosenItem(overlay) ?? {};
  const room = columns - labelColumns(visibleItems(overlay), columns) - BESIDE;
  const words = forTerminalLine(detail);
  if (width(words) <= room) return [];
  return indented(wrap(words, columns - GUTTER.length, "dim").slice(0, MOST_CUT), GUTTER);
}

/** What an empty list says. */
const NOTHING: Readonly<Record<ListOverlay["list"], string>> = {
  sessions: "No sessions yet.",
  models: "No models yet: /setup sets one up.",
  toolsets: "No tools.",
  skills: "No skills yet: a folder of skills/ in the home with a SKILL.md is one.",
  agents: "No subagents run.",
  queue: "Nothing is queued.",
  rewind: "Nothing was asked in this session yet.",
  pick: "Nothing to choose from.",
};

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
  return keyLine(`${more > 0 ? `${more} more · ` : ""}${keys}`, columns);
}

const keyLine = (keys: string, columns: number): Line =>
  line(GUTTER + fitFacts(keys, columns - GUTTER.length), "dim");

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
  const room = columns - column - BESIDE;
  return [
    span(active ? "❯ " : "  ", "accent"),
    span(current ? "● " : "  ", "ok"),
    active ? span(name, "chosen") : span(name),
    ...(room < 6 || detail === "" ? [] : [span(gap), span(fit(forTerminalLine(detail), room), "dim")]),
  ];
}

type Pages = Pick<PagerOverlay, "text" | "format">;

/** The text of a pager as lines. What was asked for last is known without work: it is drawn again and again. */
export function pagerContent({ text, format }: Pages, columns: number): readonly Line[] {
  if (last.text !== text || last.format !== format || last.columns !== columns)
    last = { text, format, columns, lines: contentLines({ text, format }, columns) };
  return last.lines;
}

let last: Pages & { readonly columns: number; readonly lines: readonly Line[] } = {
  text: "",
  format: "plain",
  columns: 0,
  lines: [],
};

function contentLines({ text, format }: Pages, columns: number): readonly Line[] {
  const inner = Math.max(8, columns - 2);
  switch (format) {
    case "plain":
      return indented(wrapColumns(text, inner), "  ");
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
  const keys = [
    ...(content.length <= room ? [] : [`${top + 1}–${top + shown.length} of ${content.length}`]),
    ...(overlay.earlier === undefined ? [] : ["more above"]),
    ...(end ? [] : ["Space next page"]),
    "↑↓ scroll",
    "Esc closes",
  ];
  return [
    line(fit(overlay.title, columns), "bold", "accent"),
    BLANK,
    ...shown,
    keyLine(keys.join(" · "), columns),
  ];
}
