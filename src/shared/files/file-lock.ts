import type { DatabaseSync } from "node:sqlite";
import { type Clock, sleep } from "../async/clock.ts";
import { HostError } from "../errors/host-error.ts";

const PAUSE_MS = 15;
const TIMEOUT_MS = 10_000;

/** The options of a file lock. */
export interface FileLockOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` while no other process runs anything under the same lock. An empty database is the lock, because Node has no
 * other way to ask the system for one. The system frees it when a process dies: nobody must guess whether its holder lives.
 *
 * @param path - a file for the lock alone
 * @throws HostError `timeout` when others hold it for 10 s; what `work` throws
 */
export async function withFileLock<T>(
  path: string,
  work: () => T | Promise<T>,
  { clock, signal }: FileLockOptions,
): Promise<T> {
  const { DatabaseSync } = await import("node:sqlite");
  using lock = new DatabaseSync(path, { timeout: 0 });
  const until = clock.monotonic() + TIMEOUT_MS;
  while (!taken(lock)) {
    if (clock.monotonic() > until)
      throw new HostError("timeout", `Another process holds ${path} for more than ${TIMEOUT_MS / 1000} s.`);
    await sleep(clock, PAUSE_MS, signal);
    signal.throwIfAborted();
  }
  // It is held until the work is done.
  return await work();
}

function taken(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (thrown) {
    const isBusy = thrown instanceof Error && "errcode" in thrown && (Number(thrown.errcode) & 0xff) === 5;
    if (isBusy) return false;
    throw thrown;
  }
}
