import type { SlashCommand } from "../../core/index.ts";
import type { Desk } from "../gateway/desk.ts";
import type { Result } from "../protocol/methods.ts";

type Pair = [string, string];

/** All slash commands, in the forms in which clients look for them. */
export function catalog({ commands, ports }: Desk): Result<"commands.catalog"> {
  const all = commands.all();
  const skills = Object.values(ports.skills?.list() ?? {}).flat();
  const byCategory = Map.groupBy(all, ({ category }) => category);
  return {
    pairs: all.map(pair),
    sub: Object.fromEntries(all.flatMap(subcommands)),
    canon: Object.fromEntries(all.flatMap(canonical)),
    categories: [...byCategory].map(([name, list]) => ({ name, pairs: list.map(pair) })),
    commands: Object.fromEntries(
      all.map(({ name, description, args, category }) => [name, { description, args, category }]),
    ),
    skills: Object.fromEntries(skills.map((name) => [name, name])),
    skill_count: skills.length,
    warning: "",
  };
}

const pair = ({ name, description, args }: SlashCommand): Pair => [
  `/${name}`,
  args === "" ? description : `${description} ${args}`,
];

function subcommands(command: SlashCommand): [string, string[]][] {
  const words = argumentWords(command);
  return words.length === 0 ? [] : [[`/${command.name}`, words]];
}

const canonical = ({ name, aliases }: SlashCommand): Pair[] =>
  [name, ...aliases].map((each) => [`/${each.toLowerCase()}`, `/${name}`]);

/** The words that a hint such as `[on|off]` offers. */
export function argumentWords({ args }: SlashCommand): string[] {
  const [hint = ""] = /[\w-]+(?:\|[\w-]+)+/.exec(args) ?? [];
  return hint.split("|").filter((word) => word !== "");
}
