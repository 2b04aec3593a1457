import type { SQLOutputValue } from "node:sqlite";

/** A row of a result. */
export type ResultRow = Readonly<Record<string, SQLOutputValue>>;

/** A value in the database that no version of this program has written there. */
export class InvalidValueError extends Error {
  override readonly name = "InvalidValueError";
}

export function integer(line: ResultRow, column: string): number {
  const value = line[column];
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new InvalidValueError(`${column} is no integer`);
}

export function text(line: ResultRow, column: string): string {
  const value = line[column];
  if (typeof value === "string") return value;
  throw new InvalidValueError(`${column} is no text`);
}

/** `undefined` for SQL's `NULL`. */
export function optionalInteger(line: ResultRow, column: string): number | undefined {
  return line[column] === null ? undefined : integer(line, column);
}

/** `undefined` for SQL's `NULL`. */
export function optionalText(line: ResultRow, column: string): string | undefined {
  return line[column] === null ? undefined : text(line, column);
}
