import { type Clock, systemClock } from "../../../src/shared/async/clock.ts";

/** A clock on which time passes faster, by which tests wait seconds where hosts wait half a minute. Wall time is the machine's. */
export const fastClock = (speed: number): Clock => ({
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * speed,
  after: (ms, run, holds) => systemClock.after(ms / speed, run, holds),
});
