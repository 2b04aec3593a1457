import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";

/** The process that serves the dashboard. */
export const SystemState = z
  .object({
    version: z.string(),
    node: z.string(),
    pid: z.number(),
    started_at: z.number().describe("Unix seconds"),
    home: z.string(),
    /** Turns that run in this process. */
    running: z.number(),
    /** Why it cannot be restarted from here, and what to do instead. */
    no_restart: z.string().exactOptional(),
  })
  .meta({ title: "SystemState" });

const HealthRow = z
  .object({ name: z.string(), ok: z.boolean(), text: z.string() })
  .meta({ title: "HealthRow" });

/** The checks of a home. */
export const HealthList = z.object({ data: z.array(HealthRow) }).meta({ title: "HealthList" });

const DiskPart = z.enum([
  "database",
  "search_index",
  "files",
  "checkpoints",
  "logs",
  "profiles",
  "versions",
  "backups",
  "other",
]);

/** The bytes of a home, by part, and of its disk. */
export const DiskState = z
  .object({
    parts: z.array(z.object({ part: DiskPart, bytes: z.number() })),
    /** Absent where the file system does not tell. */
    disk: z.object({ free: z.number(), total: z.number() }).exactOptional(),
    /** Nine tenths of the disk are used, or more. */
    low: z.boolean(),
  })
  .meta({ title: "DiskState" });

/** A check as pages get it. */
export type HealthRow = z.output<typeof HealthRow>;
/** A part of a home on the disk. */
export type DiskPart = z.output<typeof DiskPart>;

/** The process that serves the dashboard, and its home. */
export interface SystemPort {
  state(): z.output<typeof SystemState>;
  /** Looks at what costs nothing. */
  health(): Promise<readonly HealthRow[]>;
  /** Looks at everything, as `agent doctor` does: the model is asked for a word. */
  checkAll(signal: AbortSignal): Promise<readonly HealthRow[]>;
  disk(): Promise<z.output<typeof DiskState>>;
  /** Lets open turns end and starts the program anew. @throws HostError `conflict` where it cannot */
  restart(): void;
}

/** Declares the routes of the page System that are about the process and its home. */
export const systemPageRoutes = (system: SystemPort): readonly DashboardRoute[] => [
  reads("GET /dashboard/api/system", () => Promise.resolve(system.state()), {
    id: "systemState",
    summary: "The process that serves the dashboard",
    answer: SystemState,
  }),
  reads("GET /dashboard/api/system/health", async () => ({ data: await system.health() }), {
    id: "systemHealth",
    summary: "Store, configuration, model, disk, sandbox and connectors",
    answer: HealthList,
  }),
  reads("GET /dashboard/api/system/disk", () => system.disk(), {
    id: "systemDisk",
    summary: "The size of the home by part, and the free space",
    answer: DiskState,
  }),
  route(
    "POST /dashboard/api/system/checks",
    async (c, api: DashboardApi) => {
      const data = await system.checkAll(c.req.raw.signal);
      await noteAt(c, api, { action: "system.checked" });
      return c.json({ data });
    },
    {
      id: "checkSystem",
      summary: "Check everything, as `agent doctor` does; the model is asked for a word",
      answer: HealthList,
    },
  ),
  route(
    "POST /dashboard/api/system/restart",
    async (c, api: DashboardApi) => {
      await noteAt(c, api, { action: "system.restarted" });
      system.restart();
      return c.json({ ok: true });
    },
    { id: "restartSystem", summary: "Let open turns end, then start the program anew", answer: Done },
  ),
];
