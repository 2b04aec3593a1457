import { describe, expect, test } from "vitest";
import {
  Deadline,
  orAborted,
  settledOrAborted,
  untilAborted,
  waitAtMost,
  within,
} from "../../../src/shared/async/deadline.ts";
import { handClock } from "../../kit/clock.ts";

const never = new Promise<never>(() => undefined);
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a deadline", () => {
  test("aborts its signal when its time is over, and says so", () => {
    const clock = handClock();
    using deadline = new Deadline({ clock, ms: 1000 });
    clock.advance(999);
    expect(deadline).toMatchObject({ passed: false, signal: { aborted: false } });
    clock.advance(1);
    expect(deadline).toMatchObject({ passed: true, signal: { aborted: true } });
  });

  test("aborts with the caller's signal, and has not passed then", () => {
    const caller = new AbortController();
    using deadline = new Deadline({ clock: handClock(), ms: 1000, signal: caller.signal });
    caller.abort(new Error("enough"));
    expect(deadline.passed).toBe(false);
    expect(deadline.signal.reason).toEqual(new Error("enough"));
  });

  test("never passes once it was disposed of", () => {
    const clock = handClock();
    const deadline = new Deadline({ clock, ms: 1000 });
    deadline[Symbol.dispose]();
    clock.advance(2000);
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe("work within a time limit", () => {
  test("gives its result, or its own error", async () => {
    const limit = { clock: handClock(), ms: 1000 };
    expect(await within(limit, () => Promise.resolve("done"))).toBe("done");
    await expect(within(limit, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });

  test("ends with a timeout, also when it does not listen to its signal", async () => {
    const clock = handClock();
    const outcome = Promise.allSettled([within({ clock, ms: 1500 }, () => never)]);
    clock.advance(1500);
    expect(await outcome).toMatchObject([
      { reason: { code: "timeout", message: "it did not answer within 1.5 s" } },
    ]);
  });

  test("ends with the caller's reason when its signal aborts", async () => {
    const caller = new AbortController();
    const limit = { clock: handClock(), ms: 1000, signal: caller.signal };
    const outcome = Promise.allSettled([within(limit, () => never)]);
    caller.abort(new Error("enough"));
    expect(await outcome).toMatchObject([{ reason: new Error("enough") }]);
  });
});

test("a promise or an abort: whichever is first settles it", async () => {
  const caller = new AbortController();
  expect(await orAborted(Promise.resolve(1), caller.signal)).toBe(1);
  await settledOrAborted(Promise.resolve(1), caller.signal);
  await expect(settledOrAborted(Promise.reject(new Error("broken")), caller.signal)).rejects.toThrow(
    "broken",
  );
  const waiting = settledOrAborted(never, caller.signal);
  const outcome = Promise.allSettled([orAborted(never, caller.signal)]);
  caller.abort(new Error("enough"));
  await waiting;
  expect(await outcome).toMatchObject([{ reason: new Error("enough") }]);
  await expect(orAborted(Promise.resolve(1), caller.signal)).rejects.toThrow("enough");
});

test("work is waited for until its time is over, and told that nobody waits any longer", async () => {
  const clock = handClock();
  const told: string[] = [];
  const work = (name: string, result: Promise<unknown>) => (signal: AbortSignal) => {
    signal.addEventListener("abort", () => told.push(name));
    return result;
  };
  await waitAtMost({ clock, ms: 1000 }, work("done", Promise.resolve()));
  expect(told).toEqual(["done"]);
  const late = waitAtMost({ clock, ms: 1000 }, work("late", never));
  clock.advance(1000);
  await late;
  expect(told).toEqual(["done", "late"]);
  await expect(
    waitAtMost({ clock, ms: 1000 }, work("broken", Promise.reject(new Error("broken")))),
  ).rejects.toThrow("broken");
});

test("an abort is waited for only as long as somebody wants to know", async () => {
  const caller = new AbortController();
  const over = new AbortController();
  const seen: string[] = [];
  void untilAborted(caller.signal).then(() => seen.push("always"));
  void untilAborted(caller.signal, over.signal).then(() => seen.push("until over"));
  over.abort();
  caller.abort();
  await settled();
  expect(seen).toEqual(["always"]);
  await untilAborted(caller.signal);
});
