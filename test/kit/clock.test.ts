import { expect, test } from "vitest";
import { sleep } from "../../src/shared/async/clock.ts";
import { handClock } from "./clock.ts";

test("timers fire in the order of their time, each once, and only when the hands pass them", () => {
  const clock = handClock();
  const fired: string[] = [];
  clock.after(20, () => fired.push("b"));
  clock.after(10, () => fired.push("a"));
  clock.after(20, () => fired.push("c"));
  clock.advance(9);
  expect(fired).toEqual([]);
  clock.advance(11);
  expect(fired).toEqual(["a", "b", "c"]);
  clock.advance(1000);
  expect(fired).toEqual(["a", "b", "c"]);
});

test("a timer that is set while another fires is due on the way", () => {
  const clock = handClock();
  const at: number[] = [];
  clock.after(10, () => clock.after(5, () => at.push(clock.monotonic())));
  clock.advance(100);
  expect(at).toEqual([15]);
  expect(clock.monotonic()).toBe(100);
});

test("a cancelled timer does not fire and is not pending", () => {
  const clock = handClock();
  const cancel = clock.after(10, () => expect.unreachable());
  clock.after(30, () => undefined);
  cancel();
  expect(clock.pending()).toEqual([{ at: 30, in: 30 }]);
  clock.advance(20);
});

test("the wall clock can be put elsewhere without a timer noticing", () => {
  const clock = handClock(1000);
  const fired: number[] = [];
  clock.after(10, () => fired.push(clock.now()));
  clock.set(500_000);
  expect(clock.now()).toBe(500_000);
  clock.advance(10);
  expect(fired).toEqual([500_010]);
});

test("next() moves to the nearest timer and says when there is none", () => {
  const clock = handClock();
  clock.after(40, () => undefined);
  expect(clock.next()).toBe(true);
  expect(clock.monotonic()).toBe(40);
  expect(clock.next()).toBe(false);
});

test("a sleeper is seen before it is woken", async () => {
  const clock = handClock();
  const slept = sleep(clock, 50, new AbortController().signal);
  await clock.untilPending();
  clock.advance(50);
  await slept;
  expect(clock.pending()).toEqual([]);
});
