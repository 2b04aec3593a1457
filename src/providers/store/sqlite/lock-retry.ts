import { setTimeout as sleep } from "node:timers/promises";
import { sqliteResult, SQLITE } from "./failure.ts";

/** The longest time that other processes may lock the database. */
const LOCK_TIMEOUT_MS = 10_000;
const SHORTEST_PAUSE_MS = 0.2;
const LONGEST_PAUSE_MS = 8;

const never = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs something again and again while other processes hold a lock on the database, for 10 s at most. A writer holds its
 * lock for the time of one sync, so the pauses begin short. They are random, so that waiting processes do not collide.
 */
export function retryWhileLocked<T>(run: () => T): T {
  let until: number | undefined;
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    try {
      return run();
    } catch (thrown) {
      if (!isLocked(thrown)) throw thrown;
      until ??= performance.now() + LOCK_TIMEOUT_MS;
      if (performance.now() > until) throw thrown;
    }
    Atomics.wait(never, 0, 0, pause * (0.5 + Math.random()));
  }
}

/** The same for a thread that must not stand still: it waits beside the event loop. */
export async function waitWhileLocked<T>(run: () => T): Promise<T> {
  const until = performance.now() + LOCK_TIMEOUT_MS;
  for (let pause = 1; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    try {
      return run();
    } catch (thrown) {
      if (!isLocked(thrown) || performance.now() > until) throw thrown;
    }
    await sleep(pause * (0.5 + Math.random()));
  }
}

/** Another process holds a lock that this one needs. */
export function isLocked(thrown: unknown): boolean {
  const result = sqliteResult(thrown);
  return result === SQLITE.busy || result === SQLITE.locked;
}
