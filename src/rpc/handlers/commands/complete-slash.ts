import type { SlashCommand } from "../../../core/index.ts";
import type { Result } from "../../protocol/methods.ts";
import { argumentWords } from "./catalog.ts";

const MOST = 30;

/** Completes a slash command that is being typed: its name, then the words that it takes. */
export function completeSlash(text: string, commands: readonly SlashCommand[]): Result<"complete.slash"> {
  const line = text.trimStart();
  const indent = text.length - line.length;
  if (!line.startsWith("/")) return { items: [], replace_from: 0 };
  const space = line.lastIndexOf(" ");
  if (space >= 0) return completeArgument(line, { from: indent + space + 1, commands });
  const typed = line.slice(1).toLowerCase();
  const items = commands.flatMap((command) => {
    const { name, aliases, description } = command;
    const match = [name, ...aliases].find((each) => each.startsWith(typed));
    return match === undefined ? [] : [{ text: name, display: `/${name}`, meta: description }];
  });
  return { items: items.slice(0, MOST), replace_from: indent + 1 };
}

function completeArgument(
  line: string,
  { from, commands }: { readonly from: number; readonly commands: readonly SlashCommand[] },
): Result<"complete.slash"> {
  const [name = ""] = line.slice(1).toLowerCase().split(/\s+/, 1);
  const typed = line.slice(line.lastIndexOf(" ") + 1).toLowerCase();
  const command = commands.find((each) => each.name === name || each.aliases.includes(name));
  const words = command === undefined ? [] : argumentWords(command);
  const items = words
    .filter((word) => word.startsWith(typed))
    .map((word) => ({ text: word, display: word, meta: "" }));
  return { items, replace_from: from };
}
