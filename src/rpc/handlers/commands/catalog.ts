import type { SlashCommand } from "../../../core/index.ts";
import type { GatewayContext } from "../../gateway/gateway-context.ts";
import type { Result } from "../../protocol/methods.ts";

type Pair = [string, string];

/** All slash commands of a folder, in the forms in which clients look for them. */
export function catalog({ commands, ports }: GatewayContext, cwd: string): Result<"commands.catalog"> {
  const all = commands.all(cwd);
  const skills = Object.values(ports.skills?.list(cwd) ?? {}).flat();
  // Clients list skills apart: they are in no category, and have no other names.
  const lasting = all.filter(({ category }) => category !== "Skills");
  const byCategory = Map.groupBy(lasting, ({ category }) => category);
  return {
    pairs: all.map(pair),
    sub: Object.fromEntries(all.flatMap(subcommands)),
    canon: Object.fromEntries(lasting.flatMap(canonical)),
    categories: [...byCategory].map(([name, list]) => ({ name, pairs: list.map(pair) })),
    commands: Object.fromEntries(
      all.map(({ name, description, args, category }) => [name, { description, args, category }]),
    ),
    skills: Object.fromEntries(skills.map((name) => [name, name])),
    skill_count: skills.length,
    warning: ports.skills?.warning(cwd) ?? "",
  };
}

/** Descriptions of skills are as long as their authors liked. */
const DESCRIPTION = 120;

const pair = ({ name, description, args, category }: SlashCommand): Pair => {
  const words =
    category === "Skills" && description.length > DESCRIPTION
      ? `${description.slice(0, DESCRIPTION - 1).toWellFormed()}…`
      : description;
  return [`/${name}`, args === "" ? words : `${words} ${args}`];
};

function subcommands(command: SlashCommand): [string, string[]][] {
  const words = argumentWords(command);
  return words.length === 0 ? [] : [[`/${command.name}`, words]];
}

const canonical = ({ name, aliases }: SlashCommand): Pair[] =>
  [name, ...aliases].map((each) => [`/${each.toLowerCase()}`, `/${name}`]);

/** The words that a hint such as `[on|off]` offers. */
export function argumentWords({ args }: SlashCommand): string[] {
  const offers = args.split(/[^\w|-]+/).find((words) => /[\w-]\|[\w-]/.test(words)) ?? "";
  return offers.split("|").filter((word) => word !== "");
}

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
