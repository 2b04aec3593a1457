import { InvalidArgumentError, Option } from "commander";
import type { Io } from "../app/process/io.ts";

/** What a command does with its arguments and flags; it gives the exit code. */
export type Action<Flags> = (io: Io, args: Arguments, flags: Flags) => Promise<number>;
export type Arguments = readonly (string | undefined)[];

/** Makes an action of the shape in which commander calls it. */
export type Bind = <Flags>(action: Action<Flags>) => (...given: readonly unknown[]) => Promise<void>;

/** Reads a whole number that is not negative. */
export const number = (text: string): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError("It must be a whole number.");
  return value;
};

/** Reads an amount of money, with or without cents. */
export const amount = (text: string): number => {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError("It must be an amount such as 2 or 0.50.");
  return Number(text);
};

/** Reads a value that must not be empty, as an unset variable of a script would be. */
export const given = (text: string): string => {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
};

export const json = (): Option => new Option("--json", "print JSON").default(false);
