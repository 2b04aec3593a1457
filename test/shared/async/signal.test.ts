import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { Signal } from "../../../src/shared/async/signal.ts";

test("a ring wakes everybody who waits, and nobody who comes later", async () => {
  const bell = new Signal();
  const woken: string[] = [];
  const first = bell.wait().then(() => woken.push("first"));
  const second = bell.wait().then(() => woken.push("second"));
  bell.notify();
  const third = bell.wait().then(() => woken.push("third"));
  await Promise.all([first, second]);
  expect(woken).toEqual(["first", "second"]);
  bell.notify();
  await third;
});

test("an abort ends a wait, and one that came before it lets nobody wait", async () => {
  const bell = new Signal();
  const life = new AbortController();
  const waiting = bell.wait(life.signal);
  life.abort();
  await expect(waiting).resolves.toBeUndefined();
  await expect(bell.wait(life.signal)).resolves.toBeUndefined();
});

test("a listener is one listener of its signal however often it waits, and none after it", async () => {
  const bell = new Signal();
  const { signal } = new AbortController();
  {
    using ear = bell.listen(signal);
    for (let round = 0; round < 100; round += 1) {
      const woken = ear.wait();
      bell.notify();
      await woken;
      expect(getEventListeners(signal, "abort")).toHaveLength(1);
    }
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a ring that is dealt with wakes nobody; an abort, or the end of the listener, always does", async () => {
  const bell = new Signal();
  const life = new AbortController();
  const ear = bell.listen(life.signal);
  let rings = 0;
  let awake = false;
  const wait = (): Promise<void> => {
    awake = false;
    return ear.wait(() => (rings += 1) % 3 !== 0).then(() => void (awake = true));
  };
  const woken = wait();
  bell.notify();
  bell.notify();
  await Promise.resolve();
  expect({ rings, awake }).toEqual({ rings: 2, awake: false });
  bell.notify();
  await woken;
  // Nobody waits: nobody is asked.
  bell.notify();
  expect(rings).toBe(3);
  const again = wait();
  life.abort();
  await again;
  ear[Symbol.dispose]();
  expect(rings).toBe(3);
});

test("a listener that goes away while it waits is woken", async () => {
  const bell = new Signal();
  const ear = bell.listen();
  const woken = ear.wait();
  ear[Symbol.dispose]();
  await expect(woken).resolves.toBeUndefined();
});
