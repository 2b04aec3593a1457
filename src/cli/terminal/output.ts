import type { Check } from "../../app/model-setup/provider-checks.ts";
import { forTerminal } from "../../tui/terminal/terminal-text.ts";
import { type Io, write } from "../../app/process/io.ts";

/** Prints what a program is to read. */
export const printJson = (io: Io, value: unknown): Promise<void> =>
  write(io.stdout, `${JSON.stringify(value, undefined, 2)}\n`);

/** Values under their names, a line each, for people; those that are not there are left out. */
export const fieldLines = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `${key.padEnd(18)} ${forTerminal(text).replaceAll("\n", `\n${" ".repeat(19)}`)}\n`;
    })
    .join("");

/** A check as a line for people. */
export const checkLine = ({ name, ok, text }: Check, width = 9): string =>
  `${ok ? "ok  " : "FAIL"}  ${name.padEnd(width)} ${text}\n`;
