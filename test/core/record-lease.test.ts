import { expect, test } from "vitest";
import { RecordLease } from "../../src/core/index.ts";
import { memoryStore } from "../../src/providers/store/index.ts";
import { handClock } from "../kit/clock.ts";
import { random } from "../kit/counts.ts";
import { StoppedClock } from "../kit/stopped-clock.ts";

async function heldRole() {
  const hand = handClock();
  const clock = new StoppedClock(hand);
  const { records, hostId } = memoryStore({ random: random(1), clock: hand });
  const lease = new RecordLease({ records, clock, hostId, space: "role", key: "one" });
  const role = await lease.wait(new AbortController().signal, () => undefined);
  if (role === undefined) throw new Error("Nobody else wants it.");
  return { hand, clock, role };
}

test("a role is lost at once to whoever asks after a stop of ten seconds, before any timer or answer tells", async () => {
  const { hand, clock, role } = await heldRole();
  expect(role.isHeld()).toBe(true);
  clock.stop();
  hand.advance(9999);
  expect([role.isHeld(), role.lost.aborted]).toEqual([true, false]);
  hand.advance(1);
  expect([role.isHeld(), role.lost.aborted]).toEqual([false, true]);
  await role[Symbol.asyncDispose]();
});

test("a role that is looked at again and again is held for as long as that goes on", async () => {
  const { hand, role } = await heldRole();
  for (let seconds = 0; seconds < 60; seconds += 1) {
    hand.advance(1000);
    // The store answers.
    await new Promise((resolve) => setImmediate(resolve));
    expect(role.isHeld()).toBe(true);
  }
  await role[Symbol.asyncDispose]();
  expect(role.isHeld()).toBe(false);
});
