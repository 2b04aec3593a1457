import { expect, test } from "vitest";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { UpdateCheck } from "../../../src/app/update/update-check.ts";
import type { ServerLogRecord } from "../../../src/http/index.ts";
import { handClock } from "../../kit/clock.ts";
import { random } from "../../kit/counts.ts";

const HOUR = 3_600_000;

test("the registry is asked once a day, by one process of a home, and tells of a newer version in the log", async () => {
  const clock = handClock();
  await using store = memoryStore({ clock: handClock(), random: random(1) });
  const said: ServerLogRecord[] = [];
  const asked: number[] = [];
  const told: string[] = [];
  let answer: () => Promise<string> = () => Promise.resolve("1.0.0");
  const newest = (): Promise<string> => {
    asked.push(Math.round(clock.now() / HOUR));
    return answer();
  };
  const parts = {
    records: store.records,
    clock,
    log: (record: ServerLogRecord) => void said.push(record),
    newest,
    available: (version: string) => Promise.resolve(void told.push(version)),
  };
  using one = new UpdateCheck({ ...parts, version: "1.0.0" });
  using other = new UpdateCheck({ ...parts, version: "1.0.0" });
  expect(await one.known()).toBe(undefined);
  one.start();
  const pass = async (hours: number, checks = 2): Promise<void> => {
    for (let hour = 0; hour < hours; hour += 1) {
      clock.advance(HOUR);
      await clock.untilPending(checks);
    }
  };
  await pass(1, 1);
  other.start();
  await pass(22);
  expect(asked).toHaveLength(1);
  expect(said).toEqual([]);
  answer = () => Promise.resolve("1.1.0");
  await pass(3);
  expect(asked).toHaveLength(2);
  expect(said).toMatchObject([{ event: "update.available", version: "1.1.0" }]);
  expect(told).toEqual(["1.1.0"]);
  answer = () => Promise.reject(new HostError("fetch_failed", "npm says: no network"));
  await pass(24);
  expect(await other.known()).toMatchObject({ fault: "npm says: no network" });
  expect(said.at(-1)).toMatchObject({ event: "update.unknown", level: "warn" });
});
