import { NO_PERSONA, requirePersona } from "../ports/persona.ts";
import { defineCommands, done } from "./slash-command.ts";

/** The command that chooses what a session answers as. */
export const PERSONA_COMMANDS = defineCommands("Configuration", [
  {
    name: "personality",
    aliases: ["persona"],
    args: "[name|none|default]",
    description: "Show the personas, or choose the one that answers",
    async withSession(session, name, { host: { services } }) {
      const { personas } = services;
      if (name === "") {
        await requirePersona(personas, NO_PERSONA);
        const { settings, persona } = session.state;
        const now = settings.persona ?? persona?.name ?? NO_PERSONA;
        const lines = [...(personas?.names() ?? []), NO_PERSONA].map(
          (each) => `${each === now ? "*" : " "} ${each}`,
        );
        return done(
          [...lines, "/personality <name> chooses one, /personality default returns to the owner's."].join(
            "\n",
          ),
        );
      }
      if (name !== "default") await requirePersona(personas, name);
      await session.set({ persona: name === "default" ? null : name });
      return done(`Persona: ${name}, from the next prompt on, in this session.`);
    },
  },
]);
