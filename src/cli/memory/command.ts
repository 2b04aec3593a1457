import { argument, command, commandGroup, flagOff, JSON_FLAG, option } from "../command.ts";

const SCOPE = option("<name>", "of this person or place, as the list names it; your own without it");

/** `agent memory`: what the agent remembers. */
export const MEMORY_COMMAND = commandGroup(
  "memory",
  "what the agent remembers from one conversation to the next",
  [
    command("list", "list what is remembered", {
      takes: { filter: argument("[filter]", "only entries with these words"), json: JSON_FLAG },
      load: async () => (await import("./memory.ts")).listMemory,
    }),
    command("forget", "forget an entry", {
      takes: {
        entry: argument("<entry>", "some words that only this entry has"),
        user: flagOff("an entry about the user"),
        scope: SCOPE,
      },
      load: async () => (await import("./memory.ts")).forgetEntry,
    }),
  ],
);
