import { expect, test } from "vitest";
import { LastResort } from "../../../src/app/process/last-resort.ts";
import { handClock } from "../../kit/clock.ts";

/** A process that ends only in the test's mind, and what it says. */
function stage() {
  const clock = handClock();
  const said: string[] = [];
  const exit = (code: number): never => void said.push(`exit ${code}`) as never;
  const log = { announce: (message: string) => void said.push(message) };
  return { clock, said, log, last: new LastResort({ exit }, clock) };
}

test("a server that does not come to its end is ended 25 s after the time of its turns, and says so", () => {
  const { clock, said, log, last } = stage();
  clock.advance(100_000);
  last.start(30_000, log);
  clock.advance(54_999);
  expect(said).toEqual([]);
  clock.advance(1);
  expect(said).toEqual([expect.stringContaining("told to stop 55 s ago"), "exit 1"]);
});

test("one that has ended by itself is left alone", () => {
  const { clock, said, log, last } = stage();
  last.start(0, log);
  last[Symbol.dispose]();
  clock.advance(60_000);
  expect(said).toEqual([]);
});
