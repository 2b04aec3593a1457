import { Command } from "commander";
import { type Bind, json } from "./program-parts.ts";

/** `agent skills`: what skills there are, and what they say. */
export function skillsCommand(bind: Bind): Command {
  const skills = new Command("skills").description(
    "instructions for kinds of work, of the home and of this folder",
  );
  skills
    .command("list", { isDefault: true })
    .description("list the skills, and what is wrong with their files")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, _args, flags) => {
        const { listSkills } = await import("./commands/skills.ts");
        return await listSkills(io, flags);
      }),
    );
  skills
    .command("show")
    .description("print a skill")
    .argument("<name>")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, [name = ""], flags) => {
        const { showSkill } = await import("./commands/skills.ts");
        return await showSkill(io, { name, ...flags });
      }),
    );
  return skills;
}
