import { argument, command, commandGroup, JSON_FLAG } from "../command.ts";

const FOLDER = argument("[folder]", "the current folder by default");

/** `agent trust`: whose files may speak to the agent. */
export const TRUST_COMMAND = commandGroup("trust", "folders whose AGENTS.md and skills are read", [
  command("list", "list the folders that were decided about", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./trust.ts")).listTrust,
  }),
  command("add", "trust a folder and all in it: its AGENTS.md and skills are read", {
    takes: { folder: FOLDER },
    load: async () => (await import("./trust.ts")).addTrust,
  }),
  command("deny", "do not trust a folder, also inside a trusted one", {
    takes: { folder: FOLDER },
    load: async () => (await import("./trust.ts")).denyTrust,
  }),
  command("remove", "forget the decision: the folder is asked about again", {
    takes: { folder: FOLDER },
    load: async () => (await import("./trust.ts")).removeTrust,
  }),
]);
