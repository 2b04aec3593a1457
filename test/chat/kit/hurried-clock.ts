import { type Clock, systemClock } from "../../../src/shared/async/clock.ts";

const FASTER = 20;

/**
 * A clock on which waits pass twenty times as fast as on the wall: retries and silences of a fake platform need not be sat
 * through. Nothing is measured by it.
 */
export const hurriedClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => FASTER * systemClock.monotonic(),
  after: (ms, run, holds) => systemClock.after(ms / FASTER, run, holds),
};
