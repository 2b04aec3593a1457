import fc from "fast-check";
import { expect, test } from "vitest";
import { Throttle } from "../../../src/acp/session/throttle.ts";
import { handClock } from "../../kit/clock.ts";
import { times } from "../../kit/counts.ts";

interface Value {
  readonly key: string;
  readonly n: number;
}

const step = fc.oneof(
  fc.record({ key: fc.constantFrom("a", "b"), wait: fc.nat(400) }),
  fc.record({ drop: fc.constantFrom("a", "b"), wait: fc.nat(400) }),
);

test("the newest value of each key comes, at most once in its time, and nothing after a drop", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const clock = handClock();
      const sent: (Value & { readonly at: number })[] = [];
      const throttle = new Throttle<Value>(clock, 250, (value) =>
        sent.push({ ...value, at: clock.monotonic() }),
      );
      const newest = new Map<string, number>();
      const dropped = new Map<string, number>();
      let n = 0;
      for (const { wait, ...one } of steps) {
        n += 1;
        if ("key" in one) {
          newest.set(one.key, n);
          throttle.push(one.key, { key: one.key, n });
        } else {
          newest.delete(one.drop);
          dropped.set(one.drop, sent.length);
          throttle.drop(one.drop);
        }
        clock.advance(wait);
      }
      clock.advance(250);
      for (const key of ["a", "b"]) {
        const own = sent.filter((value) => value.key === key);
        expect(own.map((value) => value.n)).toEqual(own.map((value) => value.n).toSorted((x, y) => x - y));
        const last = newest.get(key);
        if (last !== undefined) expect(own.at(-1)?.n).toBe(last);
        if (dropped.has(key)) continue;
        for (const [index, value] of own.entries()) {
          const before = own[index - 1];
          if (before !== undefined) expect(value.at - before.at).toBeGreaterThanOrEqual(250);
        }
      }
    }),
    { numRuns: times(1000) },
  );
});

test("closing it lets nothing out that was held back", () => {
  const clock = handClock();
  const sent: Value[] = [];
  const throttle = new Throttle<Value>(clock, 250, (value) => sent.push(value));
  throttle.push("a", { key: "a", n: 1 });
  throttle.push("a", { key: "a", n: 2 });
  throttle.close();
  clock.advance(1000);
  expect(sent).toEqual([{ key: "a", n: 1 }]);
});
