import { InvalidValueError } from "../sqlite/columns.ts";

/** A row of a query's result. */
export type ResultRow = Readonly<Record<string, unknown>>;

export function integer(row: ResultRow, column: string): number {
  const value = row[column];
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new InvalidValueError(`${column} is no integer`);
}

/** Reads a text that `storedText` encoded. */
export function text(row: ResultRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return originalText(value);
  throw new InvalidValueError(`${column} is no text`);
}

/** `undefined` for SQL's `NULL`. */
export function nullableInteger(row: ResultRow, column: string): number | undefined {
  return row[column] === null || row[column] === undefined ? undefined : integer(row, column);
}

/** `undefined` for SQL's `NULL`. */
export function nullableText(row: ResultRow, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : text(row, column);
}

/** An array of texts, empty for SQL's `NULL`. */
export function textList(row: ResultRow, column: string): readonly string[] {
  const values: unknown = row[column];
  return Array.isArray(values) ? values.map((value) => text({ value }, "value")) : [];
}

/** PostgreSQL's texts hold neither NUL nor half of a surrogate pair, as a piece that ends in the middle of one has. */
const MARK = "\ue000";
const ENCODED = /\ue000([0-9a-f]{4})/g;
// Finding NUL is what this is for.
// oxlint-disable-next-line no-control-regex
const UNSTORABLE = /[\u0000\ue000\p{Surrogate}]/gu;

/** Encodes any string as one that PostgreSQL can hold; nearly all stay as they are. */
export function storedText(value: string): string {
  return value.replace(UNSTORABLE, (unit) => MARK + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** Gives back what `storedText` encoded. */
export function originalText(stored: string): string {
  if (!stored.includes(MARK)) return stored;
  return stored.replace(ENCODED, (_all, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)));
}
