import { describe, expect, test } from "vitest";
import {
  type TimeoutKind,
  type TimeoutLimits,
  TimeoutMonitor,
} from "../../../../src/providers/models/stream/timeout-monitor.ts";
import { handClock } from "../../../kit/clock.ts";

function watch(limits: TimeoutLimits) {
  const clock = handClock();
  const bites: { why: TimeoutKind; at: number }[] = [];
  const dog = new TimeoutMonitor(clock, limits, (why) => bites.push({ why, at: clock.monotonic() }));
  return { clock, dog, bites };
}

describe("a watchdog bites", () => {
  test("when no byte came for as long as the read limit", () => {
    const { clock, dog, bites } = watch({ read: 120, stale: 1000 });
    clock.advance(119);
    dog.bytes();
    clock.advance(119);
    expect(bites).toEqual([]);
    clock.advance(1);
    expect(bites).toEqual([{ why: "read", at: 239 }]);
  });

  test("when bytes said nothing for as long as the stale limit", () => {
    const { clock, dog, bites } = watch({ read: 120, stale: 180 });
    for (let n = 0; n < 10; n += 1) {
      clock.advance(60);
      dog.bytes();
    }
    expect(bites).toEqual([{ why: "stale", at: 180 }]);
  });

  test("when the whole took too long, whatever arrived", () => {
    const { clock, dog, bites } = watch({ whole: 300 });
    for (let n = 0; n < 10; n += 1) {
      clock.advance(60);
      dog.bytes();
      dog.progress();
    }
    expect(bites).toEqual([{ why: "whole", at: 300 }]);
  });

  test("when the end of a whole reply does not come, and for nothing else any more", () => {
    const { clock, dog, bites } = watch({ read: 3, tail: 5 });
    dog.finishing();
    clock.advance(4);
    dog.finishing();
    clock.advance(1);
    expect(bites).toEqual([{ why: "tail", at: 5 }]);
  });

  test("once", () => {
    const { clock, dog, bites } = watch({ read: 10, stale: 20 });
    clock.advance(10);
    dog.bytes();
    clock.advance(1000);
    expect(bites).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });
});

describe("a watchdog does not bite", () => {
  test("while it rests, and the rest is not counted", () => {
    const { clock, dog, bites } = watch({ read: 100 });
    clock.advance(60);
    dog.pause();
    clock.advance(10_000);
    dog.resume();
    clock.advance(39);
    expect(bites).toEqual([]);
    clock.advance(1);
    expect(bites).toHaveLength(1);
  });

  test("after it was stopped", () => {
    const { clock, dog, bites } = watch({ read: 100 });
    dog.stop();
    dog.pause();
    clock.advance(1000);
    dog.resume();
    clock.advance(1000);
    expect(bites).toEqual([]);
    expect(clock.pending()).toEqual([]);
  });

  test("without limits, and needs no timer then", () => {
    const { clock } = watch({ stale: Number.POSITIVE_INFINITY });
    expect(clock.pending()).toEqual([]);
  });
});

test("a watchdog has one timer however much arrives", () => {
  const { clock, dog } = watch({ read: 120, stale: 180 });
  for (let n = 0; n < 1000; n += 1) {
    clock.advance(1);
    dog.bytes();
    dog.progress();
    dog.pause();
    dog.resume();
    expect(clock.pending()).toHaveLength(1);
  }
});
