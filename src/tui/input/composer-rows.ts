import { characters, width } from "../text/width.ts";

/** A row of the composer: where it begins in the text, and what is on it. */
interface Row {
  readonly from: number;
  readonly text: string;
}

/** The text as rows of at most so many columns, and where the caret stands among them. */
export interface Rows {
  readonly rows: readonly Row[];
  readonly caret: { readonly row: number; readonly column: number };
}

/** Breaks a text into rows at the last column, so that every character stays where it was while one types. */
export function layoutRows(text: string, caret: number, columns: number): Rows {
  const rows: Row[] = [];
  let from = 0;
  for (const part of text.split("\n")) {
    rows.push(...breakLine(part, from, columns));
    from += part.length + 1;
  }
  const row = Math.max(
    0,
    rows.findLastIndex((each) => each.from <= caret),
  );
  const at = rows[row];
  const column = at === undefined ? 0 : width(at.text.slice(0, caret - at.from));
  return { rows, caret: { row, column } };
}

/** The offset under a column of a row: of the character there, or of the row's end. */
export function offsetAt({ rows }: Rows, row: number, column: number): number {
  const at = rows[row];
  if (at === undefined) return 0;
  let taken = 0;
  let offset = at.from;
  for (const each of characters(at.text)) {
    taken += width(each);
    if (taken > column) break;
    offset += each.length;
  }
  return offset;
}

function breakLine(text: string, from: number, columns: number): readonly Row[] {
  const rows: Row[] = [];
  let start = 0;
  let taken = 0;
  let offset = 0;
  for (const each of characters(text)) {
    const needed = width(each);
    if (taken + needed > columns && offset > start) {
      rows.push({ from: from + start, text: text.slice(start, offset) });
      start = offset;
      taken = 0;
    }
    taken += needed;
    offset += each.length;
  }
  rows.push({ from: from + start, text: text.slice(start) });
  // The caret behind a full row needs a place to stand.
  if (taken >= columns) rows.push({ from: from + text.length, text: "" });
  return rows;
}
