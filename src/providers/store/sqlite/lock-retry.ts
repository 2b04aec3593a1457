import { sqliteResult, SQLITE } from "./failure.ts";

/** How long other processes on the home may keep this one waiting. */
const PATIENCE = 10_000;
const SHORTEST_NAP = 0.2;
const LONGEST_NAP = 8;

const bed = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs something that other processes can block, again and again until it gets through or patience ends. A writer
 * holds its lock for the time of one sync: naps begin short, and differ so that waiting processes do not march in step.
 */
export function patiently<T>(run: () => T): T {
  let until: number | undefined;
  for (let nap = SHORTEST_NAP; ; nap = Math.min(nap * 1.5, LONGEST_NAP)) {
    try {
      return run();
    } catch (thrown) {
      if (!isBlocked(thrown)) throw thrown;
      until ??= performance.now() + PATIENCE;
      if (performance.now() > until) throw thrown;
    }
    Atomics.wait(bed, 0, 0, nap * (0.5 + Math.random()));
  }
}

/** Another process holds a lock that this one needs. */
export function isBlocked(thrown: unknown): boolean {
  const result = sqliteResult(thrown);
  return result === SQLITE.busy || result === SQLITE.locked;
}
