import { HostError } from "../../core/index.ts";

/**
 * The rows of a CSV text (RFC 4180): commas, or the semicolons of some spreadsheets, quotes around what has them.
 *
 * @throws HostError `invalid_params` for a quote that does not end
 */
export function csvRows(given: string): readonly (readonly string[])[] {
  const text = given.replace(/^\uFEFF/, "");
  const head = text.slice(0, text.search(/[\r\n]|$/));
  const comma = head.includes(";") && !head.includes(",") ? ";" : ",";
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const { value, end } = valueAt(text, at, comma);
    row.push(value);
    at = end;
    if (text[at] === comma) {
      at += 1;
      if (at < text.length) continue;
      row.push("");
    }
    if (text[at] === "\r") at += 1;
    if (text[at] === "\n") at += 1;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** Rows as CSV. What a spreadsheet would take for a formula begins with a quote, as text does there. */
export const csvText = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(csvValue).join(",")}\r\n`).join("");

function csvValue(value: string): string {
  // A quote is doubled before them, so that reading takes exactly one away.
  const text = /^'*[=@-]/.test(value) || /^'*\+(?!\d+$)/.test(value) ? `'${value}` : value;
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function valueAt(
  text: string,
  from: number,
  comma: string,
): { readonly value: string; readonly end: number } {
  if (text[from] !== '"') {
    let end = from;
    while (end < text.length && text[end] !== comma && text[end] !== "\n" && text[end] !== "\r") end += 1;
    return { value: text.slice(from, end), end };
  }
  let value = "";
  for (let at = from + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new HostError("invalid_params", "A quote in the file has no end.");
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"')
      return { value: value + rest(text, quote + 1, comma), end: restEnd(text, quote + 1, comma) };
    value += '"';
    at = quote + 2;
  }
}

/** What stands between a closing quote and the next comma belongs to the value, as spreadsheets read it. */
const rest = (text: string, from: number, comma: string): string =>
  text.slice(from, restEnd(text, from, comma));

function restEnd(text: string, from: number, comma: string): number {
  let end = from;
  while (end < text.length && text[end] !== comma && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return end;
}
