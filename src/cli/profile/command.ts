import { argument, command, commandGroup, flagOff, JSON_FLAG } from "../command.ts";

/** `agent profile`. */
export const PROFILE_COMMAND = commandGroup("profile", "homes beside the default one: `agent -p <name> …`", [
  command("list", "list profiles; the one that is used is marked", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./profile.ts")).printProfiles,
  }),
  command("create", "make a profile", {
    takes: { name: argument("<name>") },
    load: async () => (await import("./profile.ts")).makeProfile,
  }),
  command("delete", "delete a profile with its settings, keys and sessions", {
    takes: { name: argument("<name>"), yes: flagOff("without it nothing is deleted", "y") },
    load: async () => (await import("./profile.ts")).removeProfile,
  }),
]);
