import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Inbox } from "../../src/chat/index.ts";
import { DEFAULT_POLICY, type ToolAnswer } from "../../src/core/index.ts";
import { memoryStore } from "../../src/providers/store/index.ts";
import { askingTool } from "../kit/asking-tool.ts";
import { changedObject } from "../kit/changed-object.ts";
import { random } from "../kit/counts.ts";
import { callTool, gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { testTool, toolsOf } from "../kit/test-host.ts";
import { smallPng } from "../kit/small-png.ts";
import { type ChatProcessOptions, startChat } from "./kit/chat-process.ts";
import { answerTo, echoModel } from "./kit/echo-model.ts";
import { platformNamed, quick } from "./kit/fake-platform.ts";
import { hurriedClock } from "./kit/hurried-clock.ts";
import { FakeTelegram } from "./telegram/fake-telegram.ts";

const telegram = quick(platformNamed("telegram"));
/** As platforms are that have no buttons. */
const withoutButtons = { ...telegram, capabilities: { ...telegram.capabilities, buttons: false } };
const policy = { ...DEFAULT_POLICY, toolsets: { chat: ["test"] }, chatApprovers: ["telegram:1"] };

const start = (
  fake: FakeTelegram,
  options: Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">,
) => startChat({ platform: telegram, account: fake.account, ...options });

test("of two answers to one question the first counts, and the second is a message like others", async () => {
  await using fake = await FakeTelegram.start();
  const heard: ToolAnswer[] = [];
  const asks = askingTool({ kind: "clarify", question: "Which colour?", choices: ["red", "blue"] }, heard);
  const models = scriptedModel([callTool("ask")], [say("Thanks.")], [say("And that too.")]);
  await using chat = await start(fake, { models, host: { toolsets: toolsOf(asks), policy } });
  const { history } = fake;
  fake.send({ text: "paint it" });
  await history.until(() => history.said("42").some((text) => text.includes("Which colour?")));
  fake.send({ text: "blue" });
  fake.send({ text: "and the door" });
  await history.until(() => history.said("42").includes("And that too."));
  expect(heard).toEqual([{ outcome: "answered", text: "blue" }]);
  expect(models.seen.at(-1)?.at(-1)).toBe("and the door");
  expect(chat.reported).toEqual([]);
});

test("who answers an approval by its number and may not is told so, and the question stays open", async () => {
  await using fake = await FakeTelegram.start();
  const models = scriptedModel([callTool("launch")], [say("It is launched.")]);
  const host = { toolsets: toolsOf(testTool("launch", { effect: "once" })), policy };
  await using chat = await start(fake, {
    platform: withoutButtons,
    models,
    host,
    settings: { approvers: ["1"] },
  });
  const { history } = fake;
  fake.send({ chat: -5, text: "@agent_bot launch it" });
  await history.until(() => history.said("-5").some((text) => text.includes("Answer with a number")));
  fake.send({ chat: -5, text: "@agent_bot 1" });
  await history.until(() => history.said("-5").includes("You are not among those who may approve here."));
  expect(history.said("-5")).not.toContain("It is launched.");
  fake.send({ chat: -5, user: 1, text: "@agent_bot 1" });
  await history.until(() => history.said("-5").includes("It is launched."));
  expect(chat.reported).toEqual([]);
});

test("a message that was too long is taken when it was shortened, and one is refused that has become too long", async () => {
  await using fake = await FakeTelegram.start();
  const busy = gate();
  const models = scriptedModel([wait(busy), say("One.")], [say("Two.")]);
  await using chat = await start(fake, { models });
  fake.send({ text: "work" });
  await busy.reached;
  const long = "x".repeat(100_001);
  const [first, second] = [fake.send({ text: long }), fake.send({ text: "short" })];
  fake.edit(first, "short now");
  fake.edit(second, long);
  await expect
    .poll(async () => (await chat.inbox.list({ limit: 9 })).filter(({ event }) => event.type === "edit"))
    .toMatchObject([{ status: "answered" }, { status: "answered" }]);
  busy.open();
  await fake.history.until(() => fake.history.said("42").length === 3);
  expect(fake.history.said("42").slice(1)).toEqual(["Two.", expect.stringContaining("100001 characters")]);
  expect(models.seen.at(-1)?.at(-1)).toBe("short now");
});

test("what is changed while the files of a message are got is asked as it is then", async () => {
  await using fake = await FakeTelegram.start();
  const got = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const slow: typeof telegram = {
    ...telegram,
    async open(account, ports) {
      const channel = await telegram.open(account, ports);
      return {
        ...channel,
        async download() {
          asked.resolve();
          await got.promise;
          return smallPng();
        },
      };
    },
  };
  const models = scriptedModel([say("I see.")]);
  await using chat = await start(fake, { models, platform: slow });
  const message = fake.send({ text: "what is it", photo: { id: "p", bytes: smallPng() } });
  await asked.promise;
  fake.edit(message, "who is it");
  await expect
    .poll(async () => (await chat.inbox.list({ limit: 9 })).filter(({ status }) => status === "answered"))
    .toMatchObject([{ event: { type: "edit" } }]);
  got.resolve();
  await fake.history.until(() => fake.history.said("42").includes("I see."));
  expect(models.seen.at(-1)?.at(-1)).toContain("who is it");
  expect(models.seen).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});

test("what an earlier process left is answered before what comes now, however long the look for it takes", async () => {
  const handedOver = gate();
  await using fake = await FakeTelegram.start({
    onRequest: (method, when) => {
      if (method === "getUpdates" && when === "after") handedOver.open();
    },
  });
  const store = memoryStore({ random: random(1) });
  await new Inbox(store.records, hurriedClock, "telegram").accept(
    {
      type: "message",
      eventId: "of yesterday",
      messageId: "1",
      place: { kind: "direct", chatId: "42" },
      from: { id: "42", name: "Ada" },
      text: "the old one",
      files: [],
      addressed: true,
    },
    { claim: false },
  );
  const accepted = gate();
  const records = changedObject(store.records, {
    add: async (draft) => {
      const answer = await store.records.add(draft);
      if (draft.space === "chat.inbox.telegram") accepted.open();
      return answer;
    },
    claimDue: async (space, limit) => {
      // It takes until the new message is accepted, or waits for it.
      if (space === "chat.inbox.telegram")
        await Promise.race([accepted.opened, handedOver.opened.then(aWhile)]);
      return await store.records.claimDue(space, limit);
    },
  });
  fake.send({ text: "the new one" });
  await using chat = await start(fake, {
    models: echoModel(),
    store: changedObject(store, { records }),
  });
  await fake.history.until(() => fake.history.said("42").length === 2);
  expect(fake.history.said("42")).toEqual([
    expect.stringContaining(answerTo("the old one")),
    expect.stringContaining(answerTo("the new one")),
  ]);
  expect(chat.reported).toEqual([]);
});

/** Time enough for what was handed over to be accepted. */
async function aWhile(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await setImmediate();
}
