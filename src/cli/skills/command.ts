import { argument, command, commandGroup, JSON_FLAG } from "../command.ts";

const NAME = argument("<name>");

/** `agent skills`: what skills there are, and what they say. */
export const SKILLS_COMMAND = commandGroup(
  "skills",
  "instructions for kinds of work, of the home and of this folder",
  [
    command("list", "list the skills, and what is wrong with their files", {
      takes: { json: JSON_FLAG },
      load: async () => (await import("./skills.ts")).listSkills,
    }),
    command("show", "print a skill", {
      takes: { name: NAME, json: JSON_FLAG },
      load: async () => (await import("./skills.ts")).showSkill,
    }),
    command("enable", "switch a skill on", {
      takes: { name: NAME },
      load: async () => (await import("./skills.ts")).enableSkill,
    }),
    command("disable", "switch a skill off, for good", {
      takes: { name: NAME },
      load: async () => (await import("./skills.ts")).disableSkill,
    }),
  ],
);
