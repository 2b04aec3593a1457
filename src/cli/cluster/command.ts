import { command, commandGroup, JSON_FLAG } from "../command.ts";

/** `agent cluster`: the machines that share a store. */
export const CLUSTER_COMMAND = commandGroup("cluster", "look at the machines that share a database", [
  command("status", "list the hosts of the store: version, load, leases, lag, and what differs", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./status.ts")).printClusterStatus,
  }),
]);
