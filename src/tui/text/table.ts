import { type Line, lineWidth, type Span, span } from "./line.ts";
import { longestMarkedPart, longestPart, wrapSpans } from "./wrap.ts";

type Cell = readonly Span[];

/** A table of text. */
export interface Table {
  readonly header: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly align: readonly ("left" | "right" | "center" | null)[];
}

const GAP = "  ";
/** Narrower than this, columns are hard to read: the rows are shown one below the other. */
const NARROWEST = 6;

/** A table in columns as wide as what is in them, or as there is room. */
export function tableLines({ header, rows, align }: Table, columns: number): readonly Line[] {
  const room = columns - GAP.length * (header.length - 1);
  const widths = share([header, ...rows], header.length, room);
  if (widths === undefined) return stacked({ header, rows, align }, columns);
  const rule: Line = [span(widths.map((width) => "─".repeat(width)).join(GAP), "border")];
  return [...rowLines(header, widths, align), rule, ...rows.flatMap((row) => rowLines(row, widths, align))];
}

/**
 * The widths of the columns; what does not fit is taken from the widest, and no word is broken: rather behind its marks,
 * as a path is. `undefined` when there is no room for that.
 */
function share(
  rows: readonly (readonly Cell[])[],
  count: number,
  room: number,
): readonly number[] | undefined {
  const widest = (measure: (cell: Cell) => number): readonly number[] =>
    Array.from({ length: count }, (_, at) => Math.max(1, ...rows.map((row) => measure(row[at] ?? []))));
  const wanted = widest(lineWidth);
  const floors = [longestPart, longestMarkedPart].map((longest) =>
    widest((cell) => Math.min(lineWidth(cell), Math.max(NARROWEST, longest(textOf(cell))))),
  );
  const least = floors.find((widths) => sum(widths) <= room);
  if (least === undefined) return undefined;
  const limited = (limit: number): readonly number[] =>
    wanted.map((width, at) => Math.max(least[at] ?? 1, Math.min(width, limit)));
  let limit = Math.max(...wanted);
  while (limit > 1 && sum(limited(limit)) > room) limit -= 1;
  return limited(limit);
}

const textOf = (cell: Cell): string => cell.map(({ text }) => text).join("");
const sum = (widths: readonly number[]): number => widths.reduce((all, width) => all + width, 0);

const spaces = (count: number): Span => span(" ".repeat(Math.max(0, count)));

function rowLines(row: readonly Cell[], widths: readonly number[], align: Table["align"]): readonly Line[] {
  const cells = widths.map((width, at) => wrapSpans(row[at] ?? [], width));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, index) =>
    widths.flatMap((width, at): Line => {
      const text = cells[at]?.[index] ?? [];
      const free = width - lineWidth(text);
      const before = align[at] === "right" ? free : align[at] === "center" ? Math.floor(free / 2) : 0;
      const after = at === widths.length - 1 ? 0 : free - before;
      const gap = at === 0 ? "" : GAP;
      return [span(gap), spaces(before), ...text, spaces(after)].filter((each) => each.text !== "");
    }),
  );
}

function stacked({ header, rows }: Table, columns: number): readonly Line[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [[]]),
    ...row.flatMap((cell, at) => wrapSpans([...(header[at] ?? []), span(": "), ...cell], columns)),
  ]);
}
