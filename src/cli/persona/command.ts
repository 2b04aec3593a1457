import { argument, command, commandGroup, JSON_FLAG, option } from "../command.ts";

const NAME = argument("<name>");

/** `agent persona`: what sessions answer as. */
export const PERSONA_COMMAND = commandGroup(
  "persona",
  "what sessions answer as: instructions, model, toolsets, skills, budget",
  [
    command("list", "list the personas, and where each stands", {
      takes: { json: JSON_FLAG },
      load: async () => (await import("./persona.ts")).listPersonas,
    }),
    command("show", "print a persona, and who changed it", {
      takes: { name: NAME, json: JSON_FLAG },
      load: async () => (await import("./persona.ts")).showPersona,
    }),
    command("edit", "make a persona, or change it, in $EDITOR or from a file", {
      takes: { name: NAME, file: option("<path>", "take this YAML file in place of the editor") },
      load: async () => (await import("./edit-persona.ts")).editPersona,
    }),
    command("remove", "remove a persona that nobody uses; its versions stay", {
      aliases: ["rm"],
      takes: { name: NAME },
      load: async () => (await import("./persona.ts")).removePersona,
    }),
  ],
);
