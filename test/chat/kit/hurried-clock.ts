import { type Clock, systemClock } from "../../../src/shared/async/clock.ts";

const FASTER = 20;
/**
 * However long the machine that runs the tests stands still, or one turn of the event loop takes: a host is not taken for one that
 * was stopped, and what is asked has the time to be answered.
 */
const LONGEST_TURN_MS = 1000;

let read = systemClock.monotonic();
let passed = 0;
let isRead = false;

function monotonic(): number {
  if (isRead) return passed;
  isRead = true;
  setImmediate(() => {
    isRead = false;
  });
  const now = systemClock.monotonic();
  passed += Math.min(FASTER * (now - read), LONGEST_TURN_MS);
  read = now;
  return passed;
}

function after(...[ms, run, holds]: Parameters<Clock["after"]>): () => void {
  const due = monotonic() + ms;
  let cancel = (): void => undefined;
  const wait = (left: number): void => {
    cancel = systemClock.after(
      left / FASTER,
      () => {
        const rest = due - monotonic();
        if (rest > 0) wait(rest);
        else run();
      },
      holds,
    );
  };
  wait(ms);
  return () => cancel();
}

/**
 * A clock on which waits pass twenty times as fast as on the wall: retries and silences of a fake platform need not be sat
 * through. Nothing is measured by it: no time passes within a turn of the event loop, and little in a long one.
 */
export const hurriedClock: Clock = { now: () => systemClock.now(), monotonic, after };
