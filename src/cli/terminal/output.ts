import type { Check } from "../../app/model-setup/provider-checks.ts";
import { type Io, write } from "../../app/process/io.ts";

/** Prints what a program is to read. */
export const printJson = (io: Io, value: unknown): Promise<void> =>
  write(io.stdout, `${JSON.stringify(value, undefined, 2)}\n`);

/** A check as a line for people. */
export const checkLine = ({ name, ok, text }: Check, width = 9): string =>
  `${ok ? "ok  " : "FAIL"}  ${name.padEnd(width)} ${text}\n`;
