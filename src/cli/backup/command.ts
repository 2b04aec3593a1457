import { argument, command, commandGroup, JSON_FLAG } from "../command.ts";

const NAME = argument("<name>", "as the list has it");

/** `agent backup`: the home as it was. */
export const BACKUP_COMMAND = commandGroup("backup", "back the home up, and bring it back", [
  command("list", "list the backups", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./backup.ts")).listBackups,
  }),
  command("make", "back up sessions, settings, memory and skills, while the agent works", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./backup.ts")).makeBackup,
  }),
  command("restore", "bring the home back to a backup; what it is now is backed up first", {
    takes: { name: NAME },
    load: async () => (await import("./backup.ts")).restoreBackup,
  }),
  command("remove", "delete a backup", {
    takes: { name: NAME },
    load: async () => (await import("./backup.ts")).removeBackup,
  }),
]);
