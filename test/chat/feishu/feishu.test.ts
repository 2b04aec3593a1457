import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { feishuChannel } from "../../../src/chat/feishu/channel.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { handClock } from "../../kit/clock.ts";
import { times } from "../../kit/counts.ts";
import { callTool, gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { smallPng } from "../../kit/small-png.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { answerTo, echoModel } from "../kit/echo-model.ts";
import { quick } from "../kit/fake-platform.ts";
import { BOT, FAKE_WEBHOOK, FakeFeishu, posted, postedMessage } from "./fake-feishu.ts";

const [feishu] = CHAT_PLATFORMS.filter(({ name }) => name === "feishu");
if (feishu === undefined) throw new Error("There is no Feishu.");

const start = (fake: FakeFeishu, options: Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">) =>
  startChat({ platform: quick(feishu), account: fake.account, ...options });

const { signal } = new AbortController();

/** A channel by itself, whose requests the fake notes. */
function channelOf(fake: FakeFeishu, clock = portsTo(fake.url).clock) {
  return feishuChannel({ ...fake.account, mode: "connection", extra: {} }, { ...portsTo(fake.url), clock });
}
const DIRECT = { kind: "direct", chatId: "oc_p1" } as const;
const message = (text: string, more = {}) => ({ place: DIRECT, text, source: text, once: "o-1", ...more });

test("a direct message is answered, and acknowledged after that it was accepted", async () => {
  await using fake = await FakeFeishu.start();
  await using chat = await start(fake, { models: scriptedModel([say("Hello **Ann**.")]) });
  fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.said("oc_p1").includes("Hello **Ann**."));
  await fake.history.until(() => fake.unconfirmed === 0);
  const [entry] = await chat.inbox.list({ limit: 10 });
  expect(entry?.event).toMatchObject({ text: "hi", from: { id: "ou_1", name: "Name of ou_1" } });
  expect(fake.pings).not.toEqual([]);
  expect(chat.reported).toEqual([]);
});

test("an answer grows in one card while it is written; what comes in pieces is one message", async () => {
  await using fake = await FakeFeishu.start();
  fake.segments = 3;
  const middle = gate();
  await using chat = await start(fake, {
    models: scriptedModel([say("First words"), wait(middle), say(", then the rest.")]),
  });
  fake.send({ text: "tell me" });
  await fake.history.until(() => fake.history.said("oc_p1").includes("First words"));
  middle.open();
  await fake.history.until(() => fake.history.said("oc_p1").includes("First words, then the rest."));
  expect(fake.history.said("oc_p1")).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});

test("in a group a mention begins a thread, in which all is answered; nothing else is", async () => {
  await using fake = await FakeFeishu.start();
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
  });
  await using chat = await start(fake, { models });
  fake.send({ chat: "oc_g1", text: "not for you" });
  const id = fake.send({ chat: "oc_g1", text: "@_user_1 hello @_user_2, @_all", mentions: [BOT, "ou_2"] });
  await fake.history.until(() => fake.history.said(`oc_g1/${id}`).includes("seen 1"));
  fake.send({ chat: "oc_g1", root: id, text: "and more" });
  await fake.history.until(() => fake.history.said(`oc_g1/${id}`).includes("seen 2"));
  expect(models.seen[0]).toEqual(["[Name of ou_1]: hello @Name of ou_2, @all"]);
  expect(fake.history.messages.filter(({ by }) => by === "bot")).toHaveLength(2);
  expect(chat.reported).toEqual([]);
});

test("a button answers a question, only approvers approve, and who presses is told", async () => {
  await using fake = await FakeFeishu.start();
  const heard: { readonly outcome: string }[] = [];
  const approval = {
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
      toolsets: toolsOf(askingTool(approval, heard as never[])),
      policy: () => ({ ...DEFAULT_POLICY, toolsets: { chat: ["test"] }, chatApprovers: ["feishu:ou_9"] }),
    },
  });
  const id = fake.send({ chat: "oc_g1", text: "@_user_1 clean up", mentions: [BOT] });
  const asked = () => fake.history.messages.find(({ buttons }) => buttons.length > 0);
  await fake.history.until(() => asked() !== undefined);
  fake.press("Allow once", 2);
  await fake.history.until(() => fake.toasts.length === 1);
  expect(fake.toasts[0]).toContain("You are not among those who may approve here.");
  expect(heard).toEqual([]);
  const card = asked();
  fake.press("Allow once", 9);
  await fake.history.until(() => fake.history.said(`oc_g1/${id}`).includes("Done."));
  expect(heard).toMatchObject([{ outcome: "answered" }]);
  await fake.history.until(() => card?.buttons.length === 0);
  expect(card?.text).toContain("Allowed once, by Name of ou_9");
  expect(chat.reported).toEqual([]);
});

test("pictures reach the model, of a message and of a text with formats; other files are refused in words", async () => {
  await using fake = await FakeFeishu.start();
  fake.messages.files.set("img_a", smallPng());
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(JSON.stringify(messages.at(-1)).slice(0, 800))],
  });
  await using chat = await start(fake, { models });
  fake.send({ more: { message_type: "image", content: '{"image_key":"img_a"}' } });
  const post = {
    title: "Look",
    content: [
      [
        { tag: "text", text: "at " },
        { tag: "a", text: "this", href: "https://example.org" },
      ],
      [{ tag: "img", image_key: "img_a" }],
      [{ tag: "code_block", language: "TS", text: "1;" }, "broken", null],
    ],
  };
  fake.send({ user: 2, more: { message_type: "post", content: JSON.stringify(post) } });
  fake.send({
    user: 3,
    more: { message_type: "file", content: '{"file_key":"file_1","file_name":"a.bin"}' },
  });
  fake.send({ user: 4, more: { message_type: "sticker", content: '{"file_key":"s"}' } });
  await fake.history.until(() => [1, 2, 3, 4].every((each) => fake.history.said(`oc_p${each}`).length > 0));
  expect(fake.history.said("oc_p1")[0]).toContain("image/png");
  expect(fake.history.said("oc_p2")[0]).toContain("image/png");
  expect(fake.history.said("oc_p2")[0]).toContain("at this (https://example.org)");
  expect(fake.history.said("oc_p3")[0]).toContain("a.bin");
  expect(chat.reported).toEqual([]);
});

test("what is taken back while it waits is not answered", async () => {
  await using fake = await FakeFeishu.start();
  const first = gate();
  await using chat = await start(fake, {
    models: scriptedModel([wait(first), say("First.")], [say("Third.")]),
  });
  fake.send({ text: "begin" });
  await first.reached;
  const gone = fake.send({ text: "gone" });
  fake.event("im.message.recalled_v1", "oc_p1", {
    message_id: gone,
    chat_id: "oc_p1",
    recall_type: "message_owner",
  });
  fake.send({ text: "third" });
  await fake.history.until(() => fake.unconfirmed === 0);
  await expect
    .poll(async () => (await chat.inbox.list({ limit: 10 })).map(({ status }) => status))
    .toContain("withdrawn");
  first.open();
  await fake.history.until(() => fake.history.said("oc_p1").includes("Third."));
  expect(fake.history.said("oc_p1")).toEqual(["First.", "Third."]);
});

test("a thumb is feedback on the answer that it is under", async () => {
  await using fake = await FakeFeishu.start();
  await using chat = await start(fake, { models: echoModel() });
  fake.send({ text: "good?" });
  await fake.history.until(() => fake.history.said("oc_p1").length === 1);
  const answered = fake.history.messages.find(({ by }) => by === "bot");
  const reaction = { message_id: answered?.id, operator_type: "user", user_id: { open_id: "ou_1" } };
  fake.event("im.message.reaction.created_v1", "oc_p1", {
    ...reaction,
    reaction_type: { emoji_type: "THUMBSUP" },
  });
  fake.event("im.message.reaction.created_v1", "oc_p1", {
    ...reaction,
    reaction_type: { emoji_type: "SMILE" },
  });
  await expect
    .poll(async () => (await chat.inbox.list({ limit: 10 })).filter(({ event }) => event.type === "reaction"))
    .toMatchObject([{ event: { verdict: "up", place: { chatId: "oc_p1" } } }]);
});

test("a connection that is cut is made again, and other bots, and what cannot be read, are passed over", async () => {
  await using fake = await FakeFeishu.start();
  await using chat = await start(fake, { models: echoModel() });
  fake.say(1, "one");
  await fake.history.until(() => fake.history.said("oc_p1").length === 1);
  fake.cut();
  fake.event("im.message.receive_v1", "oc_p1", { sender: 7 });
  fake.event("im.chat.updated_v1", "oc_p1", {});
  const robot = { sender: { sender_id: { open_id: "ou_r" }, sender_type: "app" } };
  const said = {
    message_id: "om_r",
    chat_id: "oc_p1",
    chat_type: "p2p",
    message_type: "text",
    content: "{}",
  };
  fake.event("im.message.receive_v1", "oc_p1", { ...robot, message: said });
  fake.say(1, "two");
  await fake.history.until(() => fake.history.said("oc_p1").length === 2);
  await fake.history.until(() => fake.unconfirmed === 0);
  expect(fake.connections).toBe(2);
  expect(await chat.inbox.list({ limit: 10 })).toHaveLength(2);
  expect(chat.reported).toEqual([]);
});

test("the access token is got again before it ends, and when it is not taken any more", async () => {
  await using fake = await FakeFeishu.start();
  const clock = handClock();
  const channel = channelOf(fake, clock);
  await Promise.all([
    channel.send(message("a"), signal),
    channel.send(message("b", { once: "o-2" }), signal),
  ]);
  expect(fake.tokens).toBe(1);
  clock.advance(7_200_000);
  await channel.send(message("c", { once: "o-3" }), signal);
  expect(fake.tokens).toBe(2);
  fake.expire();
  await expect(channel.send(message("d", { once: "o-4" }), signal)).rejects.toMatchObject({
    code: "delivery_failed",
    details: {},
  });
  await channel.send(message("d", { once: "o-4" }), signal);
  expect(fake.history.said("oc_p1")).toEqual(["a", "b", "c", "d"]);
});

test("messages are cards to a chat, a person or into a thread; each is there once by its uuid", async () => {
  await using fake = await FakeFeishu.start();
  const channel = channelOf(fake);
  const id = await channel.send(message("![x](https://e.org/x.png) and `![y](z)`"), signal);
  expect(await channel.send(message("again"), signal)).toBe(id);
  expect(fake.history.said("oc_p1")).toEqual(["[x](https://e.org/x.png) and `![y](z)`"]);
  const place = { kind: "channel", chatId: "oc_p1", threadId: id } as const;
  await channel.send(message("below", { place, once: "o-2" }), signal);
  expect(fake.messages.requests.map(({ path }) => path)).toEqual([
    "/im/v1/messages?receive_id_type=chat_id",
    "/im/v1/messages?receive_id_type=chat_id",
    `/im/v1/messages/${id}/reply`,
  ]);
  expect(fake.messages.requests.at(-1)?.body).toMatchObject({ reply_in_thread: true, uuid: "o-2" });
  for (const [chatId, type] of [
    ["ou_1", "open_id"],
    ["on_1", "union_id"],
    ["a@b.c", "email"],
    ["7d", "user_id"],
  ] as const) {
    const sent = channel.send(message("x", { place: { ...DIRECT, chatId }, once: chatId }), signal);
    await expect(sent).rejects.toMatchObject({ code: "invalid_params" });
    expect(fake.messages.requests.at(-1)?.path).toBe(`/im/v1/messages?receive_id_type=${type}`);
  }
});

test("Markdown that Feishu refuses is told as it is written, when it is sent and when it changes", async () => {
  await using fake = await FakeFeishu.start();
  const channel = channelOf(fake);
  fake.messages.refusal = 230_099;
  const messageId = await channel.send(message("| a |\n|---|"), signal);
  await channel.edit?.({ place: DIRECT, messageId, text: "**b**", source: "**b**" }, signal);
  expect(fake.history.said("oc_p1")).toEqual(["**b**"]);
  await expect(
    channel.edit?.({ place: DIRECT, messageId: "om_none", text: "x", source: "x" }, signal),
  ).rejects.toMatchObject({ code: "not_found" });
});

test("files go out below their text", async () => {
  await using fake = await FakeFeishu.start();
  const channel = channelOf(fake);
  const file = { name: "a.png", mediaType: "image/png", bytes: smallPng() };
  await channel.send(message("Look:", { file }), signal);
  await channel.send(
    message("", { file: { ...file, name: "a.bin", mediaType: "application/zip" }, once: "o-2" }),
    signal,
  );
  expect(fake.history.messages.map(({ text, files }) => [text, ...files])).toEqual([
    ["Look:"],
    ["", "image"],
    ["", "file"],
  ]);
});

test("requests that are forged, old or in the clear are refused, and the address is proved by its token", async () => {
  await using fake = await FakeFeishu.start();
  const account = { ...fake.account, mode: "webhook" as const };
  account.secrets = { ...account.secrets, ...FAKE_WEBHOOK.account.secrets };
  await using chat = await startChat({ platform: quick(feishu), account, models: echoModel() });
  const challenge = (token: string) => {
    const { headers: _signed, ...request } = posted({ type: "url_verification", challenge: "c-1", token });
    return { ...request, headers: {} };
  };
  const { verificationToken: token } = FAKE_WEBHOOK.account.secrets;
  expect(await chat.connector.webhook(challenge(token))).toMatchObject({
    status: 200,
    body: '{"challenge":"c-1"}',
  });
  const genuine = postedMessage("once");
  const bytes = Uint8Array.from(genuine.body);
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  const { headers: _none, ...unsigned } = genuine;
  const header = { event_id: "e", event_type: "im.message.receive_v1", token };
  const clear = {
    ...genuine,
    headers: {},
    body: Buffer.from(JSON.stringify({ schema: "2.0", header, event: {} })),
  };
  const forged = [
    challenge("another"),
    postedMessage("forged", "another key"),
    { ...genuine, body: bytes },
    { ...unsigned, headers: {} },
    clear,
    posted({ header: { ...header, token: "another" }, event: {} }),
    posted({ header, event: {} }, { at: Date.now() - 25 * 3_600_000 }),
  ];
  for (let index = 0; index < times(200); index += 1)
    for (const request of forged) expect((await chat.connector.webhook(request)).status).toBe(401);
  expect(await chat.inbox.list({ limit: 10 })).toEqual([]);
  expect((await chat.connector.webhook(genuine)).status).toBe(200);
  await fake.history.until(() => fake.history.said("oc_p1").some((text) => text.includes(answerTo("once"))));
});

test.each([
  ["a secret that is wrong", { secrets: { appSecret: "wrong" } }, "unauthorized"],
  ["an app that is not there", { from: "cli_other" }, "unauthorized"],
])("%s is said", async (_what, change, code) => {
  await using fake = await FakeFeishu.start();
  const channel = feishuChannel(
    { ...fake.account, mode: "connection", extra: {}, ...change },
    portsTo(fake.url),
  );
  await expect(channel.connect([], signal)).rejects.toMatchObject({ code });
});
