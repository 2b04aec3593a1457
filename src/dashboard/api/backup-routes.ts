import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";

const BackupRow = z
  .object({
    name: z.string(),
    at: z.number().describe("Unix seconds"),
    /** The program that made it. */
    version: z.string(),
    /** Somebody asked for it, or it was made before an update or a restore. */
    reason: z.enum(["asked", "update", "restore"]),
    bytes: z.number(),
    /** The folder that holds the home as it was. */
    path: z.string(),
  })
  .meta({ title: "BackupRow" });

/** The backups of a home, the newest first. */
export const BackupList = z.object({ data: z.array(BackupRow) }).meta({ title: "BackupList" });

/** A backup as pages get it. */
export type BackupRow = z.output<typeof BackupRow>;

/** The backups of a home. */
export interface BackupPort {
  list(): readonly BackupRow[];
  /** @throws HostError `store_*` */
  make(signal: AbortSignal): Promise<BackupRow>;
  /** @throws HostError `not_found` */
  remove(name: string): Promise<void>;
}

const ALL = "/dashboard/api/backups";

/** Declares the routes of backups. They are restored on the machine, while nothing else uses the home. */
export const backupPageRoutes = (backups: BackupPort): readonly DashboardRoute[] => [
  reads(`GET ${ALL}`, () => Promise.resolve({ data: backups.list() }), {
    id: "listBackups",
    summary: "The backups of the home, the newest first",
    answer: BackupList,
  }),
  route(
    `POST ${ALL}`,
    async (c, api: DashboardApi) => {
      const made = await backups.make(c.req.raw.signal);
      await noteAt(c, api, { action: "backup.made", subject: made.name });
      return c.json(made);
    },
    { id: "makeBackup", summary: "Back the home up while it is in use", answer: BackupRow },
  ),
  route(
    `DELETE ${ALL}/{backup_id}`,
    async (c, api: DashboardApi, name) => {
      await backups.remove(name);
      await noteAt(c, api, { action: "backup.removed", subject: name });
      return c.json({ ok: true });
    },
    { id: "removeBackup", summary: "Delete a backup", answer: Done },
  ),
];
