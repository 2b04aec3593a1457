import { z } from "zod";
import { route } from "../../http/server/api-route.ts";
import { type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";

const UpdateProgress = z
  .object({
    from: z.string(),
    to: z.string(),
    step: z.enum(["back-up", "install", "try", "switch", "restart"]),
    at: z.number().describe("Unix seconds of its start"),
    /** Its process works on it. */
    running: z.boolean(),
    /** Absent while it runs, and when its process was killed. */
    outcome: z.enum(["done", "failed", "went-back"]).exactOptional(),
    message: z.string().exactOptional(),
  })
  .meta({ title: "UpdateProgress" });

/** The installed version, the newest one, and the last update. */
export const UpdateState = z
  .object({
    version: z.string(),
    newest: z.string().exactOptional(),
    asked_at: z.number().exactOptional().describe("Unix seconds"),
    /** Why the registry did not tell. */
    fault: z.string().exactOptional(),
    available: z.boolean(),
    /** A checkout: the commands that update it. */
    commands: z.array(z.string()).exactOptional(),
    last: UpdateProgress.exactOptional(),
  })
  .meta({ title: "UpdateState" });

/** The state of updates as pages get it. */
export type UpdateState = z.output<typeof UpdateState>;

/** The updates of this program. */
export interface UpdatePort {
  state(): Promise<UpdateState>;
  /** Asks the registry now. */
  ask(): Promise<UpdateState>;
  /** Starts the update to the newest version, in a process that outlives this one. @throws HostError `conflict` */
  begin(): Promise<void>;
}

const UPDATE = "/dashboard/api/update";

/** Declares the routes of updates. */
export const updatePageRoutes = (updates: UpdatePort): readonly DashboardRoute[] => [
  reads(`GET ${UPDATE}`, () => updates.state(), {
    id: "updateState",
    summary: "The installed version, the newest one, and the last update",
    answer: UpdateState,
  }),
  route(
    `POST ${UPDATE}/ask`,
    async (c, api: DashboardApi) => {
      const state = await updates.ask();
      await noteAt(c, api, { action: "update.asked" });
      return c.json(state);
    },
    { id: "askForUpdate", summary: "Ask the registry for a newer version now", answer: UpdateState },
  ),
  route(
    `POST ${UPDATE}`,
    async (c, api: DashboardApi) => {
      await updates.begin();
      await noteAt(c, api, { action: "update.begun" });
      return c.json({ ok: true });
    },
    { id: "beginUpdate", summary: "Put the newest version in the place of this one", answer: Done },
  ),
];
