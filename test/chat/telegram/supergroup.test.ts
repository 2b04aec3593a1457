import { expect, test } from "vitest";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { random } from "../../kit/counts.ts";
import { say, scriptedModelWith } from "../../kit/scripted-model.ts";
import { type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { platformNamed, quick } from "../kit/fake-platform.ts";
import { hurriedClock } from "../kit/hurried-clock.ts";
import { FakeTelegram } from "./fake-telegram.ts";

const OLD = -7;
const NEW = -1_000_000_000_007;
const platform = quick(platformNamed("telegram"));

const start = (fake: FakeTelegram, options: Partial<ChatProcessOptions> = {}) =>
  startChat({
    platform,
    account: fake.account,
    models: scriptedModelWith({
      otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
    }),
    ...options,
  });

test("a group that becomes a supergroup goes on with its conversation and its entry, also after a restart", async () => {
  await using fake = await FakeTelegram.start();
  const store = memoryStore({ random: random(1), clock: hurriedClock });
  {
    await using chat = await start(fake, { store, settings: { allow: [`channel:${OLD}`] } });
    fake.send({ chat: OLD, text: "@agent_bot hello" });
    await fake.history.until(() => fake.history.said(String(OLD)).includes("seen 1"));
    fake.upgrade(OLD, NEW, { tells: true });
    fake.send({ chat: NEW, text: "@agent_bot and more" });
    await fake.history.until(() => fake.history.said(String(NEW)).includes("seen 2"));
    expect(chat.reported).toEqual([]);
  }
  // The owner may name it by either id.
  for (const [id, words] of [
    [OLD, "seen 3"],
    [NEW, "seen 4"],
  ] as const) {
    await using chat = await start(fake, { store, settings: { allow: [`channel:${id}`] } });
    fake.send({ chat: NEW, text: "@agent_bot still there?" });
    await fake.history.until(() => fake.history.said(String(NEW)).includes(words));
    expect(chat.reported).toEqual([]);
  }
  expect(fake.history.said(String(OLD))).toEqual(["seen 1"]);
});

test("what goes to a group that has become a supergroup arrives there, texts and files, once", async () => {
  await using fake = await FakeTelegram.start();
  const store = memoryStore({ random: random(1), clock: hurriedClock });
  const { signal } = new AbortController();
  const delivery = { id: "one", target: { chatId: String(OLD) }, text: "The report." };
  const sends = () => fake.calls.filter((method) => method.startsWith("send")).length;
  fake.upgrade(OLD, NEW, { tells: false });
  {
    await using chat = await start(fake, { store });
    await chat.connector.deliver(delivery, signal);
    expect(sends()).toBe(2);
    const file = { name: "report.csv", mediaType: "text/csv", blob: await store.putBlob(Buffer.from("a,b")) };
    await chat.connector.deliver({ ...delivery, id: "two", file }, signal);
    expect(sends()).toBe(3);
  }
  await using next = await start(fake, { store });
  await expect.poll(() => next.states).toContain("connected");
  await next.connector.deliver({ ...delivery, id: "three" }, signal);
  expect(sends()).toBe(4);
  expect(fake.history.said(String(NEW))).toHaveLength(3);
  expect(fake.history.received.map(({ name }) => name)).toEqual(["report.csv"]);
  expect(next.reported).toEqual([]);
});

test("a file that meets the new id first arrives whole", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake);
  fake.upgrade(OLD, NEW, { tells: false });
  const blob = await chat.store.putBlob(Buffer.from("a,b"));
  const file = { name: "report.csv", mediaType: "text/csv", blob };
  const target = { chatId: String(OLD) };
  await chat.connector.deliver({ id: "one", target, text: "", file }, new AbortController().signal);
  expect(fake.history.received).toMatchObject([{ name: "report.csv", bytes: Buffer.from("a,b") }]);
});
