import { expect, test } from "vitest";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { RecordLease } from "../../../src/core/index.ts";
import { handClock } from "../../kit/clock.ts";
import { random } from "../../kit/counts.ts";
import { LeavingRecords } from "../../kit/leaving-records.ts";
import { gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { handChat } from "../kit/one-platform.ts";

test("a chat is connected again when the store was away for so long that its role could not be let go of", async () => {
  const store = new LeavingRecords("chat.");
  const { machine, one, begin } = await handChat(scriptedModel([say("answered")]), store.of);
  const chat = await begin();
  await machine.pass(5000, () => one.sinks.length === 1);

  store.isAway = true;
  await machine.pass(30_000, () => one.sinks.length === 0);
  expect(one.sinks).toEqual([]);
  await machine.pass(60_000);
  const told = chat.reported.length;
  await machine.pass(300_000);
  // However long it takes, what it is told of does not become more.
  expect(chat.reported.slice(told)).toEqual([]);
  store.isAway = false;

  await machine.pass(70_000, () => one.sinks.length === 1);
  expect(one.sinks).toHaveLength(1);
  expect(chat.states).not.toContain("off");
  await machine.during(one.write("hello"));
  await machine.pass(5000, () => one.posted.length > 0);
  expect(one.posted).toEqual(["answered"]);
  await machine.during(Promise.resolve(chat[Symbol.asyncDispose]()));
});

test("a message that was being answered when the store went away is answered when it is back", async () => {
  const store = new LeavingRecords("chat.");
  const busy = gate();
  const { machine, one, begin } = await handChat(scriptedModel([wait(busy), say("done")]), store.of);
  const chat = await begin();
  await machine.pass(5000, () => one.sinks.length === 1);
  await machine.during(one.write("hello"));
  await machine.during(busy.reached);
  store.isAway = true;
  await machine.pass(60_000);
  busy.open();
  await machine.pass(60_000);
  expect(one.posted).toEqual([]);
  store.isAway = false;
  await machine.pass(70_000, () => one.posted.length > 0);
  await machine.pass(10_000);
  expect(one.posted).toEqual(["done"]);
  await machine.during(Promise.resolve(chat[Symbol.asyncDispose]()));
});

test("a chat that begins while the store is away is connected when it is back, and asks less and less often before", async () => {
  const store = new LeavingRecords("chat.");
  const { machine, one, begin } = await handChat(scriptedModel(), store.of);
  store.isAway = true;
  const chat = await begin();
  await machine.pass(200_000);
  expect(new Set(chat.states)).toEqual(new Set(["retrying"]));
  const before = chat.states.length;
  await machine.pass(300_000);
  expect(chat.states.length - before).toBeLessThanOrEqual(11);
  store.isAway = false;
  await machine.pass(70_000, () => one.sinks.length === 1);
  expect(chat.states.slice(-2)).toEqual(["connecting", "connected"]);
  await machine.during(Promise.resolve(chat[Symbol.asyncDispose]()));
});

test("a chat that is to end while the store is away ends", async () => {
  const store = new LeavingRecords("chat.");
  const { machine, begin } = await handChat(scriptedModel(), store.of);
  store.isAway = true;
  const chat = await begin();
  await machine.pass(100_000);
  expect(chat.states).not.toContain("off");
  chat.connector.drain();
  await machine.pass(0);
  expect(chat.states.at(-1)).toBe("off");
  store.isAway = false;
  await machine.during(Promise.resolve(chat[Symbol.asyncDispose]()));
});

test("a role that could not be let go of goes to the next one of the same process that wants it", async () => {
  const clock = handClock();
  const { records, hostId } = memoryStore({ random: random(1), clock });
  const store = new LeavingRecords();
  const wish = { records: store.of(records), clock, hostId, space: "role", key: "one" };
  const [first, second] = [new RecordLease(wish), new RecordLease(wish)];
  expect([await first.hold(), await second.hold()]).toEqual([true, false]);
  store.isAway = true;
  await expect(first.release()).rejects.toThrow("The database is away.");
  store.isAway = false;
  expect([await second.hold(), await first.hold()]).toEqual([true, false]);
});
