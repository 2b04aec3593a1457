import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { dingtalkChannel } from "../../../src/chat/dingtalk/channel.ts";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { handClock } from "../../kit/clock.ts";
import { callTool, gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { smallPng } from "../../kit/small-png.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { answerTo, echoModel } from "../kit/echo-model.ts";
import { quick } from "../kit/fake-platform.ts";
import { FakeDingtalk } from "./fake-dingtalk.ts";

const [dingtalk] = CHAT_PLATFORMS.filter(({ name }) => name === "dingtalk");
if (dingtalk === undefined) throw new Error("There is no DingTalk.");

const start = (
  fake: FakeDingtalk,
  {
    extra = {},
    ...options
  }: Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models"> & { extra?: object },
) => startChat({ platform: quick(dingtalk), account: { ...fake.account, extra: { ...extra } }, ...options });

const { signal } = new AbortController();

/** A channel by itself, whose requests the fake notes. */
function channelOf(fake: FakeDingtalk, change = {}, ports = {}) {
  const account = { ...fake.account, mode: "connection" as const, extra: {}, ...change };
  return dingtalkChannel(account, { ...portsTo(fake.url), ...ports });
}
const DIRECT = { kind: "direct", chatId: "staff1" } as const;
const message = (text: string, more = {}) => ({ place: DIRECT, text, source: text, once: "o-1", ...more });
const CARDS = { card_template: "t-1.schema" };

test("a direct message is answered, and acknowledged after that it was accepted", async () => {
  await using fake = await FakeDingtalk.start();
  await using chat = await start(fake, { models: scriptedModel([say("Hello **Ann**.\nWell.")]) });
  fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.said("staff1").includes("Hello **Ann**.\nWell."));
  await fake.history.until(() => fake.unconfirmed === 0);
  const [entry] = await chat.inbox.list({ limit: 10 });
  expect(entry?.event).toMatchObject({ text: "hi", from: { id: "staff1", name: "Person 1" } });
  expect(fake.requests).toMatchObject([
    {
      path: "/v1.0/robot/oToMessages/batchSend",
      body: {
        robotCode: "dingfake",
        userIds: ["staff1"],
        msgKey: "sampleMarkdown",
        msgParam: JSON.stringify({ title: "Hello Ann.", text: "Hello **Ann**.  \nWell." }),
      },
    },
  ]);
  expect(chat.reported).toEqual([]);
});

test("a group is one conversation, in which each who mentions the robot is answered", async () => {
  await using fake = await FakeDingtalk.start();
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
  });
  await using chat = await start(fake, { models });
  fake.send({ group: "cid1==", user: 1, text: " hello" });
  await fake.history.until(() => fake.history.said("cid1==").includes("seen 1"));
  fake.send({ group: "cid1==", user: 2, text: " and more" });
  await fake.history.until(() => fake.history.said("cid1==").includes("seen 2"));
  expect(models.seen[0]).toEqual(["[Person 1]: hello"]);
  expect(fake.requests[0]).toMatchObject({
    path: "/v1.0/robot/groupMessages/send",
    body: { openConversationId: "cid1==" },
  });
  expect(chat.reported).toEqual([]);
});

test("without a template of cards an answer comes whole, and a question is numbered text", async () => {
  await using fake = await FakeDingtalk.start();
  const middle = gate();
  await using chat = await start(fake, {
    models: scriptedModel([say("First"), wait(middle), say(", rest.")]),
  });
  fake.send({ text: "tell me" });
  await middle.reached;
  expect(fake.history.said("staff1")).toEqual([]);
  middle.open();
  await fake.history.until(() => fake.history.said("staff1").includes("First, rest."));
  expect(chat.reported).toEqual([]);
});

test("with a template of cards answers grow, buttons answer questions, and only approvers approve", async () => {
  await using fake = await FakeDingtalk.start();
  const heard: { readonly outcome: string }[] = [];
  const approval = {
    kind: "grant",
    command: "rm -r build",
    description: "removes a folder",
    patterns: [],
    reasons: [],
    allowPermanent: false,
  } as const;
  const middle = gate();
  await using chat = await start(fake, {
    extra: CARDS,
    models: scriptedModel([callTool("ask")], [say("First"), wait(middle), say(", done.")]),
    host: {
      toolsets: toolsOf(askingTool(approval, heard as never[])),
      policy: () => ({ ...DEFAULT_POLICY, toolsets: { chat: ["test"] }, chatApprovers: ["dingtalk:staff9"] }),
    },
  });
  fake.send({ group: "cid1==", text: " clean up" });
  const asked = () => fake.history.messages.find(({ buttons }) => buttons.length > 0);
  await fake.history.until(() => asked() !== undefined);
  fake.press("Allow once", 2);
  await fake.history.until(() => fake.unconfirmed === 0);
  expect(heard).toEqual([]);
  const card = asked();
  fake.press("Allow once", 9);
  await fake.history.until(() => fake.history.said("cid1==").includes("First"));
  expect(heard).toMatchObject([{ outcome: "answered" }]);
  middle.open();
  await fake.history.until(() => fake.history.said("cid1==").includes("First, done."));
  await fake.history.until(() => card?.buttons.length === 0);
  expect(card?.text).toContain("Allowed once, by staff9");
  expect(fake.history.said("cid1==")).toHaveLength(2);
  expect(chat.reported).toEqual([]);
});

test("pictures reach the model, alone and among words; what is said is read; other files are refused in words", async () => {
  await using fake = await FakeDingtalk.start();
  fake.files.set("code-1", smallPng());
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(JSON.stringify(messages.at(-1)).slice(0, 800))],
  });
  await using chat = await start(fake, { models });
  const plain = { text: undefined };
  fake.send({ more: { ...plain, msgtype: "picture", content: { downloadCode: "code-1" } } });
  const richText = [{ text: "look " }, { type: "picture", downloadCode: "code-1" }, { text: "here" }, 7];
  fake.send({ user: 2, more: { ...plain, msgtype: "richText", content: { richText } } });
  fake.send({
    user: 3,
    more: { ...plain, msgtype: "audio", content: { downloadCode: "x", recognition: "spoken" } },
  });
  fake.send({
    user: 4,
    more: { ...plain, msgtype: "file", content: { downloadCode: "x", fileName: "a.bin" } },
  });
  await fake.history.until(() => [1, 2, 3, 4].every((each) => fake.history.said(`staff${each}`).length > 0));
  expect(fake.history.said("staff1")[0]).toContain("image/png");
  expect(fake.history.said("staff2")[0]).toContain("image/png");
  expect(fake.history.said("staff2")[0]).toContain("look here");
  expect(fake.history.said("staff3")[0]).toContain("spoken");
  expect(fake.history.said("staff4")[0]).toContain("a.bin");
  expect(chat.reported).toEqual([]);
});

test("a connection that is cut, or that the server wants anew, is made again; pings are answered", async () => {
  await using fake = await FakeDingtalk.start();
  await using chat = await start(fake, { models: echoModel() });
  fake.say(1, "one");
  await fake.history.until(() => fake.history.said("staff1").length === 1);
  fake.system("ping", { opaque: "p" });
  await fake.history.until(() => fake.pongs.length === 1);
  expect(fake.pongs).toEqual([{ opaque: "p" }]);
  fake.cut();
  fake.event("/v1.0/im/bot/messages/get", "staff1", { msgId: 7 });
  fake.event("/v1.0/card/instances/callback", "staff1", { outTrackId: "o", userId: "u", content: "{" });
  fake.event("/v1.0/other", "staff1", {});
  fake.say(1, "two");
  await fake.history.until(() => fake.history.said("staff1").length === 2 && fake.unconfirmed === 0);
  expect(fake.connections).toBe(2);
  const losses = chat.states.filter((state) => state === "retrying").length;
  fake.system("disconnect", { reason: "persistent connection is timeout" });
  await fake.history.until(() => fake.connections === 3);
  fake.say(1, "three");
  await fake.history.until(() => fake.history.said("staff1").length === 3);
  // The new connection is there before the old one goes.
  expect(chat.states.filter((state) => state === "retrying")).toHaveLength(losses);
  expect(await chat.inbox.list({ limit: 10 })).toHaveLength(3);
  expect(chat.reported).toEqual([]);
});

test("people of other organisations are answered where their message says, while that holds", async () => {
  await using fake = await FakeDingtalk.start();
  await using chat = await start(fake, { models: echoModel() });
  fake.send({ text: "hi", more: { senderStaffId: null } });
  await fake.history.until(() => fake.history.said("staff1").some((text) => text.includes(answerTo("hi"))));
  expect(fake.requests.map(({ path }) => path)).toEqual(["/robot/sendBySession"]);
  expect(chat.reported).toEqual([]);
  const sent = channelOf(fake).send(message("x", { place: { ...DIRECT, chatId: "$:LWCP_v1:$8" } }), signal);
  await expect(sent).rejects.toMatchObject({ code: "not_found" });
});

test("the access token is got again before it ends, and when it is not taken any more", async () => {
  await using fake = await FakeDingtalk.start();
  const clock = handClock();
  const channel = channelOf(fake, {}, { clock });
  await Promise.all([channel.send(message("a"), signal), channel.send(message("b"), signal)]);
  expect(fake.tokens).toBe(1);
  clock.advance(7_200_000);
  await channel.send(message("c"), signal);
  expect(fake.tokens).toBe(2);
  fake.expire();
  const failed = await channel.send(message("d"), signal).catch((thrown: unknown) => thrown);
  expect(failed).toMatchObject({ code: "delivery_failed" });
  expect(failed).not.toHaveProperty("details.uncertain");
  await channel.send(message("d"), signal);
  expect(fake.history.said("staff1")).toEqual(["a", "b", "c", "d"]);
});

test("files go out below their text; a card that may be there is not posted under the same id", async () => {
  await using fake = await FakeDingtalk.start();
  const channel = channelOf(fake, { extra: CARDS });
  const file = { name: "a.png", mediaType: "image/png", bytes: smallPng() };
  await channel.send(message("Look:", { file }), signal);
  await channel.send(message("", { file: { ...file, name: "a.pdf", mediaType: "application/pdf" } }), signal);
  expect(fake.history.messages.map(({ text, files }) => [text, ...files])).toEqual([
    ["Look:"],
    ["", "image"],
    ["", "file a.pdf"],
  ]);
  expect(await channel.send(message("card"), signal)).toBe("o-1");
  expect(await channel.send(message("card", { again: true }), signal)).not.toBe("o-1");
});

test.each([
  [[400, { code: "resource.not.found", message: "机器人不存在" }], "not_found", {}],
  [[400, { code: "param.msgParamInvalid", message: "bad" }], "invalid_params", {}],
  [
    [403, { code: "Forbidden.AccessDenied.AccessTokenPermissionDenied", message: "no" }],
    "invalid_params",
    {},
  ],
  [
    [403, { code: "Forbidden.AccessDenied.QpsLimitForApi", message: "fast" }],
    "delivery_failed",
    { retryAfterMs: 20_000 },
  ],
  [[500, { code: "SystemError", message: "sorry" }], "delivery_failed", { uncertain: true }],
  [
    [200, { processQueryKey: "", flowControlledStaffIdList: ["staff1"] }],
    "delivery_failed",
    { retryAfterMs: 30_000 },
  ],
  [[200, { processQueryKey: "", invalidStaffIdList: ["staff1"] }], "not_found", {}],
] as const)("a refusal %j is understood", async (refusal, code, details) => {
  await using fake = await FakeDingtalk.start();
  fake.refusal = refusal;
  await expect(channelOf(fake).send(message("x"), signal)).rejects.toMatchObject({ code, details });
});

test("a secret that is wrong, a template that is none, and webhooks are said", async () => {
  await using fake = await FakeDingtalk.start();
  const wrong = channelOf(fake, { secrets: { clientSecret: "wrong" } });
  await expect(wrong.connect([], signal)).rejects.toMatchObject({ code: "unauthorized" });
  expect(() => channelOf(fake, { extra: { card_template: 7 } })).toThrow("card_template");
  expect(() => channelOf(fake, { mode: "webhook" })).toThrow("stream mode");
});
