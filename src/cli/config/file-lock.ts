import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { type Clock, HostError, sleep } from "../../core/index.ts";

const PATIENCE_MS = 10_000;
const POLL_MS = 10;

/**
 * Changes a file that several processes change: one after the other, each on what the one before left. A process that
 * dies with the lock frees it.
 *
 * @param change - reads and replaces the file, without a pause
 * @throws HostError `conflict` when others do not let it in for 10 s; whatever `change` throws
 */
export async function whileLocked<T>(path: string, clock: Clock, change: () => T): Promise<T> {
  const lock = `${path}.lock`;
  const deadline = clock.monotonic() + PATIENCE_MS;
  while (!take(lock)) {
    freeIfDead(lock);
    if (clock.monotonic() > deadline)
      throw new HostError("conflict", `${path} is being changed by another process (${lock}). Try again.`);
    await sleep(clock, POLL_MS, new AbortController().signal);
  }
  try {
    return change();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    const file = openSync(lock, "wx", 0o600);
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** It is moved away before it is removed: of several that find it, one does. */
function freeIfDead(lock: string): void {
  try {
    const holder = Number(readFileSync(lock, "utf8"));
    // Nothing is in it for a moment after it was made.
    if (!(holder > 0) || isRunning(holder)) return;
    const moved = `${lock}.${process.pid}`;
    renameSync(lock, moved);
    // Somebody else was faster, and this is the lock of the next one.
    if (Number(readFileSync(moved, "utf8")) !== holder) renameSync(moved, lock);
    else rmSync(moved);
  } catch (error) {
    // It was let go meanwhile.
    if (!isCode(error, "ENOENT")) throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isCode(error, "ESRCH");
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
