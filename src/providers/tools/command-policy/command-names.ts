import { SOMEWHERE } from "../../../core/index.ts";
import { commandName, runsOthers } from "./hard-block/inner-commands.ts";
import type { SimpleCommand } from "./simple-line.ts";

/** What stands between the words of any shell. */
export const BETWEEN_WORDS = /[\s;&|()<>{}"'`$\\]+/;

/**
 * The commands of a line as rules that deny know them. A line that cannot be told into its parts, or that starts others, is
 * one name in which a denied command may stand anywhere.
 */
export function commandNames(
  line: string,
  commands: readonly SimpleCommand[] | undefined,
): readonly string[] {
  const isPlain =
    commands !== undefined && commands.every(({ words }) => !runsOthers(words.map(({ text }) => text)));
  if (!isPlain) return [SOMEWHERE + line.split(BETWEEN_WORDS).map(commandName).join(" ")];
  return commands.map(({ words: [first, ...rest] }) =>
    [commandName(first?.text ?? ""), ...rest.map(({ text }) => text)].join(" "),
  );
}
