import type { HostEntry } from "../operations.ts";
import { integer, type ResultRow, optionalText, text } from "./columns.ts";

/** The columns of a host, for a query that names its table `h`. */
export const HOST_COLUMNS =
  "h.id AS host_id, h.machine_id, h.boot_id, h.pid_namespace, h.pid, h.started_at, h.beat, h.ended";

export function hostEntry(line: ResultRow): HostEntry {
  return {
    id: text(line, "host_id"),
    machineId: text(line, "machine_id"),
    bootId: text(line, "boot_id"),
    pidNamespace: text(line, "pid_namespace"),
    pid: integer(line, "pid"),
    startedAt: text(line, "started_at"),
    beat: integer(line, "beat"),
    ended: integer(line, "ended") === 1,
  };
}

/** The host that a column names. One that is not known any more has been buried. */
export function holderOf(line: ResultRow, column: string): HostEntry | undefined {
  const id = optionalText(line, column);
  if (id === undefined) return undefined;
  return optionalText(line, "host_id") === undefined ? { ...NOBODY, id } : hostEntry(line);
}

const NOBODY: HostEntry = {
  id: "",
  machineId: "",
  bootId: "",
  pidNamespace: "",
  pid: 0,
  startedAt: "",
  beat: 0,
  ended: true,
};
