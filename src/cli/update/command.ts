import { command, flagOff, JSON_FLAG } from "../command.ts";

/** `agent update`. */
export const UPDATE_COMMAND = command(
  "update",
  "put the newest version in the place of this one, and go back if it is not healthy",
  {
    takes: { check: flagOff("only say whether there is a newer one"), json: JSON_FLAG },
    help: `The registry is the one that npm's own configuration names. The update backs the home up, installs beside what runs, tries
the new version on a copy of the home, switches, and starts what serves the home anew. A checkout says which commands to run.`,
    load: async () => (await import("./update.ts")).runUpdate,
  },
);
