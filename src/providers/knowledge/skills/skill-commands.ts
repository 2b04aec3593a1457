import type { SlashCommandResult, SlashCommand } from "../../../core/index.ts";
import { LastResult } from "../../../shared/memo/last-result.ts";
import type { Skill, SkillListing } from "./skill.ts";
import { type SkillLibrary, skillPrompt, withFiles } from "./skill-library.ts";

/** The variables that a skill requires and that its commands would not see. */
type Lacking = (skill: Skill) => readonly string[];

/** Makes `/skills`, and a command for each skill of the home and of a workspace; the same ones as long as no skill changes. */
export function skillCommands(
  library: SkillLibrary,
  lacking: Lacking,
): (cwd: string) => readonly SlashCommand[] {
  const list = listCommand(library);
  const made = new WeakMap<SkillListing, LastResult<readonly SlashCommand[]>>();
  return (cwd) => {
    const listing = library.recent(cwd);
    const last = made.get(listing) ?? new LastResult();
    made.set(listing, last);
    const skills = listing.skills.filter((skill) => !skill.commandless && library.isEnabled(skill));
    return last.of(skills, () => [list, ...skills.map((skill) => commandOf(skill, library, lacking))]);
  };
}

function commandOf({ name, description }: Skill, library: SkillLibrary, lacking: Lacking): SlashCommand {
  return {
    name: name.toLowerCase(),
    aliases: [],
    args: "[request]",
    description,
    category: "Skills",
    run({ session, workspace }, request) {
      const content = library.read(name, session?.state.cwd ?? workspace.cwd);
      const missing = lacking(content.skill);
      // A person can be asked within a turn only: the tool does it.
      const first =
        missing.length === 0
          ? ""
          : `Before anything else, call skill_view with the name ${JSON.stringify(name)}: it asks the user for ${missing.join(" and ")}, which the skill needs and does not have.\n\n`;
      const message = `${first}${skillPrompt(content, request)}`;
      return Promise.resolve({ type: "send", message, notice: `Using the skill ${name}.`, skill: name });
    },
  };
}

function listCommand(library: SkillLibrary): SlashCommand {
  return {
    name: "skills",
    aliases: [],
    args: "[name | enable|disable <name>]",
    description: "List the skills, show one, or switch one on or off",
    category: "Tools & Skills",
    async run({ session, workspace }, argument): Promise<SlashCommandResult> {
      const cwd = session?.state.cwd ?? workspace.cwd;
      await library.ready(cwd);
      const [, action, named] = /^(enable|disable)\s+(\S+)$/.exec(argument) ?? [];
      if (named !== undefined) {
        const name = await library.turn(named, { cwd, on: action === "enable" });
        return { type: "done", output: `The skill ${name} is ${action === "enable" ? "on" : "off"}.` };
      }
      const output = argument === "" ? listing(library, cwd) : withFiles(library.read(argument, cwd));
      return { type: "done", output };
    },
  };
}

function listing(library: SkillLibrary, cwd: string): string {
  const { skills, warnings } = library.list(cwd);
  const byCategory = Map.groupBy(skills, ({ category }) => category);
  const lines = [...byCategory]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([category, list]) => [
      `${category}:`,
      ...list.map((skill) => {
        const off = library.isEnabled(skill) ? "" : " (off)";
        return `  /${skill.name.toLowerCase()}${off}  ${skill.description}`;
      }),
    ]);
  const none =
    "There are no skills. One is a folder with a SKILL.md, in the home's skills or in .agent/skills.";
  return [...(lines.length === 0 ? [none] : lines), ...warnings.map((warning) => `! ${warning}`)].join("\n");
}
