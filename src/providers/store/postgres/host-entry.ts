import { defined } from "../../../shared/json/defined.ts";
import { forgottenHost } from "../forgotten-host.ts";
import type { HostEntry } from "../operations.ts";
import { integer, nullableText, type ResultRow, text } from "./columns.ts";

/**
 * The columns of a host, for a query that names its table `h`.
 *
 * @param lease - the parameter with the milliseconds for which a host's word lasts
 */
export const HOST_COLUMNS = (lease: string): string =>
  `h.id AS host_id, h.machine_id, h.boot_id, h.pid_namespace, h.pid, h.started_at, h.beat, h.ended,
   extract(epoch FROM clock_timestamp() - h.beat_at) * 1000 > ${lease}::float8 AS expired,
   h.epoch < (SELECT number FROM epoch) AS behind`;

/** Reads a host from its columns. */
export function hostEntry(row: ResultRow): HostEntry {
  return defined({
    id: text(row, "host_id"),
    machineId: text(row, "machine_id"),
    bootId: text(row, "boot_id"),
    pidNamespace: text(row, "pid_namespace"),
    pid: integer(row, "pid"),
    startedAt: text(row, "started_at"),
    beat: integer(row, "beat"),
    ended: row["ended"] === true,
    expired: row["expired"] === true,
    isBehind: row["behind"] === true ? true : undefined,
  });
}

/** Reads the host that a column names. A host without a row has been forgotten. */
export function holderOf(row: ResultRow, column: string): HostEntry | undefined {
  const id = nullableText(row, column);
  if (id === undefined) return undefined;
  return nullableText(row, "host_id") === undefined ? forgottenHost(id) : hostEntry(row);
}
