import { z } from "zod";
import { type DashboardRoute, reads } from "./dashboard-api.ts";

const ClusterHost = z
  .object({
    id: z.string(),
    /** The name of its machine; `null` for a process that reports nothing of itself, such as `agent run`. */
    machine: z.string().nullable(),
    pid: z.number(),
    version: z.string().nullable(),
    since: z.number().nullable().describe("Unix seconds"),
    alive: z.boolean(),
    /** It serves this answer. */
    current: z.boolean(),
    /** Turns that run. */
    running: z.number().nullable(),
    /** Sessions that it holds. */
    leases: z.number(),
    /** Since its last report; one comes every ten seconds. */
    lag_ms: z.number().nullable(),
    /** How long its last write to the database took. */
    database_ms: z.number().nullable(),
    advertise: z.string().nullable(),
  })
  .meta({ title: "ClusterHost" });

/** The machines that share the store of this home. */
export const ClusterState = z
  .object({
    /** `null` where the store is the home's own: one machine. */
    database: z
      .object({
        url: z.string().describe("Without its password"),
        version: z.string(),
        schema: z.number(),
        latency_ms: z.number(),
        faults: z.array(z.string()),
      })
      .nullable(),
    hosts: z.array(ClusterHost),
    /** What must be the same everywhere and is not, with the ids of hosts that are alike. */
    differences: z.array(z.object({ topic: z.string(), groups: z.array(z.array(z.string())) })),
  })
  .meta({ title: "ClusterState" });

/** The machines as pages get them. */
export type ClusterState = z.output<typeof ClusterState>;
/** The machines that share a store. */
export interface ClusterPort {
  state(): Promise<ClusterState>;
}

/** Declares the route of the page System that is about other machines. */
export const clusterPageRoutes = (cluster: ClusterPort): readonly DashboardRoute[] => [
  reads("GET /dashboard/api/system/cluster", () => cluster.state(), {
    id: "clusterState",
    summary: "The machines that share the store: version, load, leases, lag, and what differs",
    answer: ClusterState,
  }),
];
