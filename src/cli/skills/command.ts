import { Command } from "commander";
import { type Bind, json } from "../flags.ts";

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
        const { listSkills } = await import("./skills.ts");
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
        const { showSkill } = await import("./skills.ts");
        return await showSkill(io, { name, ...flags });
      }),
    );
  for (const action of ["enable", "disable"] as const) {
    skills
      .command(action)
      .description(action === "enable" ? "switch a skill on" : "switch a skill off, for good")
      .argument("<name>")
      .action(
        bind(async (io, [name = ""]) => {
          const { switchSkill } = await import("./skills.ts");
          return await switchSkill(io, { name, on: action === "enable" });
        }),
      );
  }
  return skills;
}
