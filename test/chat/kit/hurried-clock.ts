import { type Clock, systemClock } from "../../../src/shared/async/clock.ts";

const FASTER = 20;
/** However long the machine that runs the tests stands still: a host is not taken for one that was stopped. */
const LONGEST_STEP_MS = 4000;

let read = systemClock.monotonic();
let passed = 0;

function monotonic(): number {
  const now = systemClock.monotonic();
  passed += Math.min(FASTER * (now - read), LONGEST_STEP_MS);
  read = now;
  return passed;
}

/**
 * A clock on which waits pass twenty times as fast as on the wall: retries and silences of a fake platform need not be sat
 * through. Nothing is measured by it.
 */
export const hurriedClock: Clock = {
  now: () => systemClock.now(),
  monotonic,
  after: (ms, run, holds) => systemClock.after(ms / FASTER, run, holds),
};
