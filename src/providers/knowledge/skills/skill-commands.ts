import type { SlashCommandResult, SlashCommand } from "../../../core/index.ts";
import type { Skill } from "./skill.ts";
import { type SkillLibrary, skillPrompt, withFiles } from "./skill-library.ts";

/** `/skills`, and a command for each skill of the home and of a workspace. */
export function skillCommands(library: SkillLibrary, cwd: string): readonly SlashCommand[] {
  const skills = library.recent(cwd).skills.filter((skill) => !skill.commandless && library.isEnabled(skill));
  return [listCommand(library), ...skills.map((skill) => commandOf(skill, library))];
}

function commandOf({ name, description }: Skill, library: SkillLibrary): SlashCommand {
  return {
    name: name.toLowerCase(),
    aliases: [],
    args: "[request]",
    description,
    category: "Skills",
    run({ session, workspace }, request) {
      const content = library.read(name, session?.state.cwd ?? workspace.cwd);
      const message = skillPrompt(content, request);
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
