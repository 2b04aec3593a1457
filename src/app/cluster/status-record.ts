import type { ClusterState } from "../../dashboard/index.ts";
import type { ClusterStatus } from "./cluster-status.ts";

/** The hosts of a store as programs read them. */
export const encodeCluster = ({ database, hosts, differences }: ClusterStatus): ClusterState => ({
  database:
    database === undefined
      ? null
      : {
          url: database.url,
          version: database.version,
          schema: database.schema,
          latency_ms: database.latencyMs,
          faults: [...database.faults],
        },
  hosts: hosts.map((host) => ({
    id: host.hostId,
    machine: host.machine ?? null,
    pid: host.pid,
    version: host.version ?? null,
    since: host.since === undefined ? null : Math.floor(host.since / 1000),
    alive: host.alive,
    current: host.isThis,
    running: host.running ?? null,
    leases: host.leases,
    lag_ms: host.lagMs ?? null,
    database_ms: host.databaseMs ?? null,
    advertise: host.advertise ?? null,
  })),
  differences: differences.map(({ topic, groups }) => ({ topic, groups: groups.map((group) => [...group]) })),
});
