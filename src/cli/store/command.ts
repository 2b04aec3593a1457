import { argument, command, commandGroup, JSON_FLAG } from "../command.ts";

/** `agent store`: the home's store and the database that machines share. */
export const STORE_COMMAND = commandGroup("store", "move a home into a PostgreSQL database", [
  command("copy", "copy a home into an empty PostgreSQL database, and check each row", {
    takes: {
      home: argument("<home>", "the folder of the home; it is only read"),
      url: argument(
        "[url]",
        "the database, without a password; that of AGENT_STORE_URL or store.url by default",
      ),
      json: JSON_FLAG,
    },
    help: "A copy that was ended goes on when it is started again. No process may use the home meanwhile.",
    load: async () => (await import("./copy.ts")).copyStore,
  }),
]);
