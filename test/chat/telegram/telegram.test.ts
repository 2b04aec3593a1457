import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { FAKE_TOKEN, FakeTelegram } from "./fake-telegram.ts";

const [telegram] = CHAT_PLATFORMS.filter(({ name }) => name === "telegram");
if (telegram === undefined) throw new Error("There is no Telegram.");
/** A hundred times as fast as the real one. */
const quick = {
  ...telegram,
  limits: {
    ...telegram.limits,
    direct: { burst: 100, perSecond: 1000 },
    channel: { burst: 100, perSecond: 1000 },
    bot: { burst: 1000, perSecond: 10_000 },
    editEveryMs: 5,
    typingMs: 50,
  },
};

const start = (
  fake: FakeTelegram,
  options: Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">,
) =>
  startChat({ platform: quick, account: { baseUrl: fake.url, secrets: { token: FAKE_TOKEN } }, ...options });

test("a direct message is answered, and its update is confirmed after that it was accepted", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake, { models: scriptedModel([say("Hello **Ann**.")]) });
  fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.said("42").includes("Hello Ann.") && fake.unconfirmed === 0);
  expect(chat.reported).toEqual([]);
  expect(fake.history.typing.length).toBeGreaterThan(0);
  await expect
    .poll(async () => (await chat.inbox.list({ limit: 10 })).map(({ status }) => status))
    .toEqual(["answered"]);
});

test("an answer shows while it is written, and grows in one message", async () => {
  await using fake = await FakeTelegram.start();
  const middle = gate();
  await using chat = await start(fake, {
    models: scriptedModel([say("First words"), wait(middle), say(", then the rest.")]),
  });
  fake.send({ text: "tell me" });
  await fake.history.until(() => fake.history.said("42").includes("First words"));
  middle.open();
  await fake.history.until(() => fake.history.said("42").includes("First words, then the rest."));
  expect(fake.history.said("42")).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});

test("in a group only what is meant for the bot is answered, and a topic is a conversation of its own", async () => {
  await using fake = await FakeTelegram.start();
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
  });
  await using chat = await start(fake, { models });
  fake.send({ chat: -7, text: "not for you" });
  fake.send({ chat: -7, text: "@agent_bot hello" });
  await fake.history.until(() => fake.history.said("-7").length === 1);
  fake.send({ chat: -7, topic: 5, text: "@agent_bot hello" });
  await fake.history.until(() => fake.history.said("-7/5").includes("seen 1"));
  fake.send({ chat: -7, topic: 5, text: "and more" });
  await fake.history.until(() => fake.history.said("-7/5").includes("seen 2"));
  expect(fake.history.said("-7")).toEqual(["seen 1"]);
  expect(models.seen[0]).toEqual(["[Ann]: hello"]);
  expect(chat.reported).toEqual([]);
});

test("in a topic a command for another bot is neither carried out nor a prompt, also as an answer to the agent", async () => {
  await using fake = await FakeTelegram.start();
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
  });
  await using chat = await start(fake, { models });
  const send = (text: string, replyToBot = false) => fake.send({ chat: -7, topic: 5, text, replyToBot });
  send("@agent_bot hello");
  await fake.history.until(() => fake.history.said("-7/5").includes("seen 1"));
  send("/new@other_bot");
  send("and more");
  await fake.history.until(() => fake.history.said("-7/5").includes("seen 2"));
  // What answers the agent is for its eyes, and still no command of its own.
  send("/new@other_bot", true);
  await fake.history.until(() => fake.history.said("-7/5").includes("seen 3"));
  send("/new@AGENT_bot");
  await fake.history.until(() => fake.history.said("-7/5").includes("A new conversation begins."));
  expect(fake.history.said("-7/5")).toHaveLength(4);
  expect(chat.reported).toEqual([]);
});

test("in a direct chat all that somebody sends is answered: what cannot be read with words", async () => {
  await using fake = await FakeTelegram.start();
  const models = scriptedModel([say("A nice place.")]);
  await using chat = await start(fake, { models });
  const kinds = [{ dice: { emoji: "🎲", value: 6 } }, { poll: { id: "1", question: "Where?" } }];
  const sticker = { file_id: "s", is_animated: true, is_video: false, emoji: "👍" };
  for (const more of [...kinds, { sticker }]) fake.send({ more });
  await fake.history.until(() => fake.history.said("42").length === 3);
  expect(new Set(fake.history.said("42"))).toEqual(
    new Set(["There is nothing in your message that I can read."]),
  );
  fake.send({ more: { location: { latitude: 1.5, longitude: 2.5 } } });
  await fake.history.until(() => fake.history.said("42").includes("A nice place."));
  expect(models.seen[0]).toEqual(["Location: 1.5, 2.5"]);
  expect(chat.reported).toEqual([]);
});

provePlatform({
  platform: telegram,
  start: (options) => FakeTelegram.start(options),
  often: true,
  redelivers: true,
  webhook: {
    account: {
      secrets: { webhookSecret: "a-webhook-secret-of-the-tests" },
      extra: { webhook_url: "https://agent.example.org/webhooks/telegram" },
    },
    secret: "a-webhook-secret-of-the-tests",
  },
  signed: (secret, text) => ({
    method: "POST",
    headers: { "x-telegram-bot-api-secret-token": secret },
    query: {},
    body: Buffer.from(
      JSON.stringify({
        update_id: 5,
        message: {
          message_id: 1,
          from: { id: 1, first_name: "Ann" },
          chat: { id: 1, type: "private" },
          text,
        },
      }),
    ),
  }),
});
