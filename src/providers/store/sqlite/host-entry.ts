import { forgottenHost } from "../forgotten-host.ts";
import type { HostEntry } from "../operations.ts";
import { integer, type ResultRow, nullableText, text } from "./columns.ts";

/** The columns of a host, for a query that names its table `h`. */
export const HOST_COLUMNS =
  "h.id AS host_id, h.machine_id, h.boot_id, h.pid_namespace, h.pid, h.started_at, h.beat, h.ended";

/** Reads a host from its columns. */
export function hostEntry(row: ResultRow): HostEntry {
  return {
    id: text(row, "host_id"),
    machineId: text(row, "machine_id"),
    bootId: text(row, "boot_id"),
    pidNamespace: text(row, "pid_namespace"),
    pid: integer(row, "pid"),
    startedAt: text(row, "started_at"),
    beat: integer(row, "beat"),
    ended: integer(row, "ended") === 1,
  };
}

/** Reads the host that a column names. A host without a row has been forgotten. */
export function holderOf(row: ResultRow, column: string): HostEntry | undefined {
  const id = nullableText(row, column);
  if (id === undefined) return undefined;
  return nullableText(row, "host_id") === undefined ? forgottenHost(id) : hostEntry(row);
}
