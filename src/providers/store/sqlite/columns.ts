import type { SQLOutputValue } from "node:sqlite";

/** A row of a result. */
export type Line = Readonly<Record<string, SQLOutputValue>>;

/** A value in the database that no version of this program has written there. */
export class OddValue extends Error {
  override readonly name = "OddValue";
}

export function integer(line: Line, column: string): number {
  const value = line[column];
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new OddValue(`${column} is no integer`);
}

export function text(line: Line, column: string): string {
  const value = line[column];
  if (typeof value === "string") return value;
  throw new OddValue(`${column} is no text`);
}

/** `undefined` for SQL's `NULL`. */
export function maybeInteger(line: Line, column: string): number | undefined {
  return line[column] === null ? undefined : integer(line, column);
}

/** `undefined` for SQL's `NULL`. */
export function maybeText(line: Line, column: string): string | undefined {
  return line[column] === null ? undefined : text(line, column);
}
