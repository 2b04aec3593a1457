import { dirname, join } from "node:path";
import { HostError } from "../../shared/errors/host-error.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { withFileLock } from "../../shared/files/file-lock.ts";
import { systemReason } from "./home.ts";

/**
 * Changes a file of the home while no other process changes one: each reads what the one before it has written.
 *
 * @throws HostError `config_invalid` where no lock can be made, `timeout`; what `work` throws
 */
export async function underHomeLock<T>(path: string, work: () => T): Promise<T> {
  const { signal } = new AbortController();
  try {
    return await withFileLock(join(dirname(path), ".lock"), work, { clock: systemClock, signal });
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    const problem = lockProblem(cause) ?? systemReason(cause);
    throw new HostError("config_invalid", `Cannot change ${path}: ${problem}.`, { cause });
  }
}

/** The lock is a database, and its own words speak of one. */
function lockProblem(cause: unknown): string | undefined {
  if (!(cause instanceof Error && "errcode" in cause)) return undefined;
  return cause.errcode === SQLITE_FULL ? "no space is left" : "no file can be made beside it";
}

const SQLITE_FULL = 13;
