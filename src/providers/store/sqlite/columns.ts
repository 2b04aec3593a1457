import type { SQLOutputValue } from "node:sqlite";

/** A row of a query result. */
export type ResultRow = Readonly<Record<string, SQLOutputValue>>;

/** The error of a stored value that no version of this program has written. */
export class InvalidValueError extends Error {
  override readonly name = "InvalidValueError";
}

export function integer(row: ResultRow, column: string): number {
  const value = row[column];
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new InvalidValueError(`${column} is no integer`);
}

export function text(row: ResultRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new InvalidValueError(`${column} is no text`);
}

/** `undefined` for SQL's `NULL`. */
export function nullableInteger(row: ResultRow, column: string): number | undefined {
  return row[column] === null ? undefined : integer(row, column);
}

/** `undefined` for SQL's `NULL`. */
export function nullableText(row: ResultRow, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}
