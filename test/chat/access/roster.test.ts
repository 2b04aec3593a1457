import { expect, test } from "vitest";
import { Roster } from "../../../src/people/roster/index.ts";
import { startChat } from "../kit/chat-process.ts";
import { echoModel } from "../kit/echo-model.ts";
import { platformNamed } from "../kit/fake-platform.ts";
import { FakeTelegram } from "../telegram/fake-telegram.ts";

test("who is linked on the roster is let in, and their direct messages are theirs, with their memory", async () => {
  await using fake = await FakeTelegram.start();
  const models = echoModel();
  await using chat = await startChat({
    platform: platformNamed("telegram"),
    account: fake.account,
    models,
    settings: { allow: ["roster"] },
  });
  const { host } = chat;
  const roster = new Roster(chat.store.records, host.services);
  const heard = (words: string) =>
    fake.history.until(() => fake.history.said("7").some((text) => text.includes(words)));
  const sessionsOf = async (user: { readonly id: string }) =>
    (await host.of(user.id).list({ limit: 9, offset: 0 })).map(({ id }) => id);
  fake.say(7, "stranger");
  await heard("agent pair ");
  const anna = await roster.add({ name: "Anna" });
  await roster.link(anna.id, "telegram:7");
  fake.say(7, "first");
  await heard("first");
  const [hers, ...more] = await sessionsOf(anna);
  expect(more).toEqual([]);
  const scope = (await host.session(hers ?? "")).rows(0, 99);
  expect(JSON.stringify(await scope)).toContain(`"memoryScope":"user:${anna.id}"`);
  // The same account is somebody else's now: they read nothing of the conversation before.
  await roster.unlink(anna.id, "telegram:7");
  const ben = await roster.add({ name: "Ben" });
  await roster.link(ben.id, "telegram:7");
  fake.say(7, "/undo");
  await heard("Nothing has been said in this conversation yet");
  fake.say(7, "second");
  await heard("second");
  expect(await sessionsOf(anna)).toEqual([hers]);
  const [his] = await sessionsOf(ben);
  expect(his).not.toBe(hers);
  expect(JSON.stringify(models.requests.at(-1)?.messages)).not.toContain("first");
  // A user who was shut out is, with whatever they are let in by.
  await roster.change(ben.id, { disabled: true });
  const turns = models.requests.length;
  fake.say(7, "third");
  fake.say(8, "another stranger");
  await fake.history.until(() => fake.history.said("8").length > 0);
  expect(models.requests).toHaveLength(turns);
});
