import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { DEFAULT_POLICY, promptText } from "../../../src/core/index.ts";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { random, times } from "../../kit/counts.ts";
import { callTool, gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { quick } from "../kit/fake-platform.ts";
import { hurriedClock } from "../kit/hurried-clock.ts";
import { historyFaults } from "../kit/check-history.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { BOT_ID, BOT_ROLE, FakeDiscord } from "./fake-discord.ts";

const [discord] = CHAT_PLATFORMS.filter(({ name }) => name === "discord");
if (discord === undefined) throw new Error("There is no Discord.");
const quickDiscord = quick(discord);

const start = async (
  fake: FakeDiscord,
  options: Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">,
) => {
  const chat = await startChat({
    platform: quickDiscord,
    account: fake.account,
    ...options,
  });
  await fake.history.until(() => fake.ops.includes(2));
  return chat;
};

const echo = () =>
  scriptedModelWith({
    otherwise: ({ messages }) => {
      const last = messages.at(-1);
      return [say(`Answer to ${last?.role === "user" ? promptText(last.parts) : ""}.`)];
    },
  });

test("a direct message is answered, and the answer grows in one message", async () => {
  await using fake = await FakeDiscord.start();
  const middle = gate();
  await using chat = await start(fake, {
    models: scriptedModel([say("First words"), wait(middle), say(", then **the rest**.")]),
  });
  fake.send({ text: "tell me" });
  await fake.history.until(() => fake.history.said("42").includes("First words"));
  await fake.history.until(() => fake.history.typing.includes("42"));
  middle.open();
  await fake.history.until(() => fake.history.said("42").includes("First words, then **the rest**."));
  expect(fake.history.said("42")).toHaveLength(1);
  expect(fake.commands.map(({ name }) => name)).toContain("new");
  expect(chat.reported).toEqual([]);
});

test("in a server only what is meant for the bot is answered, and a thread is a conversation of its own", async () => {
  await using fake = await FakeDiscord.start();
  fake.threads.set("8", "7");
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
  });
  await using chat = await start(fake, { models });
  const called = { text: `<@${BOT_ID}> hello <@5>`, guild: true, mentions: [BOT_ID, "5"] };
  fake.send({ channel: "7", text: "not for you", guild: true });
  fake.send({ ...called, channel: "7" });
  await fake.history.until(() => fake.history.said("7").length === 1);
  fake.send({ ...called, channel: "8" });
  await fake.history.until(() => fake.history.said("7/8").includes("seen 1"));
  fake.send({ channel: "8", text: "and more", guild: true });
  await fake.history.until(() => fake.history.said("7/8").includes("seen 2"));
  expect(fake.history.said("7")).toEqual(["seen 1"]);
  expect(models.seen[0]).toEqual(["[Ann]: hello @u5"]);
  expect(chat.reported).toEqual([]);
});

test("a command of the menu is answered at once to the one who gave it, and then in the place", async () => {
  await using fake = await FakeDiscord.start();
  await using chat = await start(fake, { models: scriptedModel() });
  fake.command("new", "");
  await fake.history.until(() => fake.history.said("42").includes("A new conversation begins."));
  await fake.history.until(() => fake.interactions.length === 1);
  expect(fake.interactions).toMatchObject([{ body: { type: 4, data: { content: "`/new`", flags: 64 } } }]);
  expect(chat.reported).toEqual([]);
});

test("a mention of the bot's own role is one of the bot, another role's is not", async () => {
  await using fake = await FakeDiscord.start();
  const models = scriptedModelWith({ otherwise: () => [say("Here.")] });
  await using chat = await start(fake, { models });
  const called = (role: string) => ({ text: `<@&${role}> hello`, more: { mention_roles: [role] } });
  fake.send({ channel: "7", guild: true, ...called("79") });
  fake.send({ channel: "7", guild: true, ...called(BOT_ROLE) });
  await fake.history.until(() => fake.history.said("7").length === 1);
  expect(models.seen).toEqual([["[Ann]: hello"]]);
  expect(chat.reported).toEqual([]);
});

test("thumbs under an answer are feedback on its turn", async () => {
  await using fake = await FakeDiscord.start();
  await using chat = await start(fake, { models: scriptedModel([say("So it is.")]) });
  fake.send({ text: "is it so" });
  await fake.history.until(() => fake.history.said("42").includes("So it is."));
  const answer = fake.history.messages.find(({ by }) => by === "bot")?.id;
  const given = { user_id: "42", channel_id: "42", message_id: answer, message_author_id: BOT_ID };
  fake.dispatch("MESSAGE_REACTION_ADD", { ...given, emoji: { name: "👍" } });
  fake.dispatch("MESSAGE_REACTION_ADD", { ...given, emoji: { name: "🎉" } });
  fake.dispatch("MESSAGE_REACTION_REMOVE", { ...given, emoji: { name: "👍" } });
  const verdicts = async () =>
    (await chat.inbox.list({ limit: 10 })).flatMap(({ event, status }) =>
      event.type === "reaction" && status === "answered" ? event.verdict : [],
    );
  await expect.poll(async () => (await verdicts()).toSorted()).toEqual(["none", "up"]);
  expect(chat.reported).toEqual([]);
});

test("a file goes out with its text beside it", async () => {
  await using fake = await FakeDiscord.start();
  const channel = await quickDiscord.open(
    { ...fake.account, mode: "connection", extra: {} },
    portsTo(fake.url),
  );
  const file = { name: "c.txt", mediaType: "text/plain", bytes: Buffer.from("words") };
  const place = { kind: "direct", chatId: "42" } as const;
  const message = { place, text: "here", source: "here", once: "once-1", file };
  const id = await channel.send(message, new AbortController().signal);
  expect(fake.history.messages).toMatchObject([{ id, text: "here", files: ["c.txt"] }]);
  expect(await channel.send(message, new AbortController().signal)).toBe(id);
});

test("a session that is cut is resumed, and says again what was missed", async () => {
  await using fake = await FakeDiscord.start();
  await using chat = await start(fake, { models: echo() });
  fake.send({ text: "one" });
  await fake.history.until(() => fake.history.said("42").length === 1);
  fake.cut();
  fake.send({ text: "two" });
  await fake.history.until(() => fake.history.said("42").includes("Answer to two."));
  expect(fake.ops.filter((op) => op === 2)).toHaveLength(1);
  expect(fake.ops).toContain(6);
  expect(fake.history.said("42")).toHaveLength(2);
  expect(chat.reported).toEqual([]);
});

test("after a session that cannot be resumed what was missed is read, also by the next process", async () => {
  await using fake = await FakeDiscord.start();
  const store = memoryStore({ random: random(1), clock: hurriedClock });
  {
    await using first = await start(fake, { models: echo(), store });
    fake.send({ text: "one" });
    await fake.history.until(() => fake.history.said("42").includes("Answer to one."));
    expect(first.reported).toEqual([]);
  }
  fake.forget();
  fake.send({ text: "two" });
  await using chat = await start(fake, { models: echo(), store });
  await fake.history.until(() => fake.history.said("42").includes("Answer to two."));
  expect(fake.history.said("42")).toHaveLength(2);
  expect(chat.reported).toEqual([]);
});

test.each([
  [4014, "Message Content Intent"],
  [4004, "Reset Token"],
])("close code %i keeps it off, and says what to do", async (code, words) => {
  await using fake = await FakeDiscord.start({ refuseWith: code });
  await using chat = await start(fake, { models: scriptedModel() });
  await expect.poll(() => chat.states.at(-1)).toBe("off");
  expect(chat.reported.map(({ message }) => message).join()).toContain(words);
  expect(fake.ops.filter((op) => op === 2)).toHaveLength(1);
});

test("a heartbeat that is not acknowledged ends the connection, and the session is resumed", async () => {
  await using fake = await FakeDiscord.start();
  fake.heartbeatMs = 200;
  fake.acknowledges = false;
  await using chat = await start(fake, { models: echo() });
  await fake.history.until(() => fake.ops.includes(1));
  fake.heartbeatMs = 41_250;
  fake.acknowledges = true;
  await fake.history.until(() => fake.ops.includes(6));
  fake.send({ text: "one" });
  await fake.history.until(() => fake.history.said("42").includes("Answer to one."));
  expect(chat.reported).toEqual([]);
});

test("a button answers a question, and only approvers approve", async () => {
  await using fake = await FakeDiscord.start();
  const heard: { readonly outcome: string }[] = [];
  const question = {
    kind: "grant",
    command: "rm -r build",
    description: "removes a folder",
    patterns: [],
    reasons: [],
    allowPermanent: false,
  } as const;
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("Done.")]),
    host: {
      toolsets: toolsOf(askingTool(question, heard as never[])),
      policy: () => ({ ...DEFAULT_POLICY, toolsets: { chat: ["test"] }, chatApprovers: ["discord:9"] }),
    },
  });
  fake.send({ text: "clean up" });
  const asked = () => fake.history.messages.find(({ buttons }) => buttons.length > 0);
  await fake.history.until(() => asked() !== undefined);
  fake.press("Allow once", { user: "42" });
  await fake.history.until(() => fake.interactions.length === 2);
  expect(fake.interactions).toMatchObject([
    { path: expect.stringMatching(/^\/interactions\//), body: { type: 6 } },
    {
      path: expect.stringMatching(/^\/webhooks\/901\//),
      body: { content: "You are not among those who may approve here.", flags: 64 },
    },
  ]);
  expect(heard).toEqual([]);
  const card = asked();
  fake.press("Allow once", { user: "9" });
  await fake.history.until(() => fake.history.said("42").includes("Done.") && card?.buttons.length === 0);
  expect(card?.text).toContain("Allowed once, by Ann");
  expect(heard).toMatchObject([{ outcome: "answered" }]);
  expect(chat.reported).toEqual([]);
});

test("a picture reaches the model, also when its address is over; another file is refused in words", async () => {
  await using fake = await FakeDiscord.start();
  const models = scriptedModel([say("Seen.")]);
  await using chat = await start(fake, { models });
  fake.files.set("cat.png", new Uint8Array([1, 2, 3]));
  const attachments = (picture: string) => [
    { id: "1", filename: "cat.png", size: 3, content_type: "image/png", url: `${fake.url}/cdn/${picture}` },
    { id: "2", filename: "notes.zip", size: 3, content_type: "application/zip", url: `${fake.url}/cdn/x` },
  ];
  fake.send({
    text: "look",
    more: { attachments: attachments("over.png") },
    now: { attachments: attachments("cat.png") },
  });
  await fake.history.until(() => fake.history.said("42").some((text) => text.endsWith("Seen.")));
  const parts = models.requests[0]?.messages.flatMap((message) =>
    message.role === "user" ? message.parts : [],
  );
  expect(parts?.map(({ type }) => type)).toContain("image");
  expect(models.seen[0]?.join()).toContain("notes.zip was not taken");
  expect(chat.reported).toEqual([]);
});

test("a message that was taken back or changed while it waited counts so", async () => {
  await using fake = await FakeDiscord.start();
  const first = gate();
  const models = scriptedModel([wait(first), say("One.")], [say("Two.")]);
  await using chat = await start(fake, { models });
  fake.send({ text: "one" });
  await first.reached;
  const gone = fake.send({ text: "gone" });
  const changed = fake.send({ text: "two" });
  fake.dispatch("MESSAGE_DELETE", { id: gone, channel_id: "42" });
  const author = { id: "42", username: "ann" };
  fake.dispatch("MESSAGE_UPDATE", {
    id: changed,
    channel_id: "42",
    author,
    content: "zwei",
    edited_timestamp: "2026-01-01",
  });
  await expect
    .poll(
      async () => (await chat.inbox.list({ limit: 10 })).filter(({ status }) => status === "answered").length,
    )
    .toBe(2);
  first.open();
  await fake.history.until(() => fake.history.said("42").includes("Two."));
  expect(models.seen.at(-1)).toEqual(["one", "zwei"]);
  expect(chat.reported).toEqual([]);
});

test("a message of 1 MB, of control characters, of 10,000 mentions gets an answer or a refusal in words", async () => {
  await using fake = await FakeDiscord.start();
  await using chat = await start(fake, { models: scriptedModelWith({ otherwise: () => [say("Well.")] }) });
  fake.send({ channel: "1", text: "x".repeat(1_000_000) });
  fake.send({ channel: "2", text: "a\0b\u0007\u001b[31m" });
  fake.send({
    channel: "3",
    text: "<@5>".repeat(10_000),
    mentions: Array.from({ length: 10_000 }, (_, at) => String(at + 5)),
  });
  await fake.history.until(() => ["1", "2", "3"].every((place) => fake.history.said(place).length === 1));
  expect(fake.history.said("1")[0]).toContain("at most 100000 are read");
  expect([...fake.history.said("2"), ...fake.history.said("3")]).toEqual(["Well.", "Well."]);
  expect(chat.reported).toEqual([]);
});

test("frames that cannot be read, and events of nobody, are nothing", async () => {
  await using fake = await FakeDiscord.start();
  await using chat = await start(fake, { models: echo() });
  fake.frame(99, { strange: true });
  for (const strange of [null, 7, "x", [], { id: "no number" }, { author: {} }])
    for (const type of ["MESSAGE_CREATE", "MESSAGE_DELETE", "MESSAGE_REACTION_ADD", "INTERACTION_CREATE"])
      fake.dispatch(type, strange);
  fake.send({ text: "bot", more: { author: { id: "5", username: "other", bot: true } } });
  fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.said("42").includes("Answer to hi."));
  expect(fake.history.said("42")).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});

test("messages through a platform with every fault are each answered once", async () => {
  const rate = 0.1;
  await using fake = await FakeDiscord.start({
    faults: { drop: rate, lose: rate, garble: rate, limit: rate, duplicate: rate },
  });
  await using chat = await start(fake, { models: echo() });
  const sent = Array.from({ length: times(100) }, (_, index) => ({
    place: String(42 + (index % 3)),
    answer: `word-${index}`,
  }));
  for (const { place, answer } of sent) fake.send({ channel: place, user: place, text: answer });
  await fake.history.until(() =>
    sent.every(({ place, answer }) => fake.history.said(place).some((text) => text.includes(`${answer}.`))),
  );
  expect(historyFaults(fake.history, sent)).toEqual([]);
  expect(chat.reported).toEqual([]);
});

provePlatform({ platform: discord, start: (options) => FakeDiscord.start(options), often: true });
