import type { BackupPort, BackupRow } from "../../dashboard/index.ts";
import { type Backup, Backups } from "../backup/backups.ts";
import { askOwnProgram, type OwnProgram } from "../process/own-program.ts";

/** The backups of a home, for the dashboard. One is made by a process of its own: to look through it takes time. */
export function backupPages(home: string, own: OwnProgram): BackupPort {
  const backups = new Backups(home);
  return {
    list: () => backups.list().map(rowOf),
    async make(signal) {
      const made = await askOwnProgram(own, ["backup", "make", "--json"], signal);
      return rowOf(backups.find(nameIn(made)));
    },
    remove: (name) => backups.remove(name),
  };
}

const nameIn = (made: unknown): string =>
  typeof made === "object" && made !== null && "name" in made ? String(made.name) : "";

const rowOf = ({ name, madeAt, version, reason, bytes, home }: Backup): BackupRow => ({
  name,
  at: Math.floor(madeAt / 1000),
  version,
  reason,
  bytes,
  path: home,
});
