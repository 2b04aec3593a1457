import { readFileSync, readlinkSync } from "node:fs";

/** The marks that tell one process from every other that ever ran on this or another machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The system's own mark of when the process started; empty when the system has none to read. */
  readonly startedAt: string;
  /** One run of the machine, from power-on to power-off; empty when unknown. */
  readonly bootId: string;
  /** Process ids mean the same only within one namespace; empty when unknown. */
  readonly pidNamespace: string;
  /** Empty when unknown. */
  readonly machineId: string;
}

/**
 * Reads the identity of a running process from `/proc`. A system without `/proc` leaves the marks empty; other processes
 * then judge this one by its heartbeat alone.
 *
 * @param pid - of the calling process, as a rule
 */
export function readIdentity(pid: number): ProcessIdentity {
  return {
    pid,
    startedAt: processStart(pid) ?? "",
    bootId: textOf("/proc/sys/kernel/random/boot_id"),
    pidNamespace: orEmpty(() => readlinkSync(`/proc/${pid}/ns/pid`)),
    machineId: textOf("/etc/machine-id") || textOf("/var/lib/dbus/machine-id"),
  };
}

/** When a process of this namespace started, in the system's own terms; `undefined` when it is gone or a zombie. */
function processStart(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in parentheses may hold spaces and parentheses itself: the fields start after the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  if (state === undefined || state === "" || state === "Z" || state === "X") return undefined;
  return fields[STARTTIME];
}

/** Field 22 of `/proc/<pid>/stat`, counted from the state, which is field 3. */
const STARTTIME = 19;

/** Whether exactly this process still runs; its id may belong to a younger one by now. */
export function isRunning(process: ProcessIdentity): boolean {
  return processStart(process.pid) === process.startedAt;
}

/** Empty for what is absent: another system, or the process is gone. */
function orEmpty(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return "";
  }
}

const textOf = (path: string): string => orEmpty(() => readFileSync(path, "utf8"));
