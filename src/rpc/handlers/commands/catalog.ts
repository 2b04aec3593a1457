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
