import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { wecomChannel } from "../../../src/chat/wecom/channel.ts";
import { readXml } from "../../../src/chat/wecom/xml.ts";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { handClock } from "../../kit/clock.ts";
import { times } from "../../kit/counts.ts";
import { callTool, say, scriptedModel, scriptedModelWith } from "../../kit/scripted-model.ts";
import { smallPng } from "../../kit/small-png.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { answerTo, echoModel } from "../kit/echo-model.ts";
import { quick } from "../kit/fake-platform.ts";
import { challenge, FAKE_WECOM_APP, FakeWecom, postedXml, writtenXml } from "./fake-wecom.ts";

const [wecom] = CHAT_PLATFORMS.filter(({ name }) => name === "wecom");
if (wecom === undefined) throw new Error("There is no WeCom.");

type StartOptions = Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">;
const start = (fake: FakeWecom, options: StartOptions) =>
  startChat({ platform: quick(wecom), account: fake.account, ...options });
const startApp = (fake: FakeWecom, options: StartOptions) =>
  startChat({
    platform: quick(wecom),
    account: { baseUrl: fake.url, mode: "webhook", ...FAKE_WECOM_APP.account },
    ...options,
  });

const { signal } = new AbortController();
const DIRECT = { kind: "direct", chatId: "user1" } as const;
const message = (text: string, more = {}) => ({ place: DIRECT, text, source: text, once: "o-1", ...more });
const APPROVAL = {
  kind: "grant",
  command: "rm -r build",
  description: "removes a folder",
  patterns: [],
  reasons: [],
  allowPermanent: false,
} as const;

test("a direct message is answered through the bot's connection", async () => {
  await using fake = await FakeWecom.start();
  await using chat = await start(fake, { models: scriptedModel([say("Hello **Ann**.")]) });
  fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.said("user1").includes("Hello **Ann**."));
  const [entry] = await chat.inbox.list({ limit: 10 });
  expect(entry?.event).toMatchObject({ text: "hi", from: { id: "user1" } });
  expect(fake.requests).toEqual([
    {
      cmd: "aibot_send_msg",
      body: { chatid: "user1", msgtype: "markdown", markdown: { content: "Hello **Ann**." } },
    },
  ]);
  expect(chat.reported).toEqual([]);
});

test("a group is one conversation, without the mention with which a message begins", async () => {
  await using fake = await FakeWecom.start();
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
  });
  await using chat = await start(fake, { models });
  fake.send({ group: "wr1", user: 1, text: "@Agent hello @all" });
  await fake.history.until(() => fake.history.said("wr1").includes("seen 1"));
  fake.send({ group: "wr1", user: 2, text: "@Agent and more" });
  await fake.history.until(() => fake.history.said("wr1").includes("seen 2"));
  expect(models.seen[0]).toEqual(["[user1]: hello @all"]);
  expect(chat.reported).toEqual([]);
});

test("buttons below a question answer it, only approvers approve, and who presses is told", async () => {
  await using fake = await FakeWecom.start();
  const heard: { readonly outcome: string }[] = [];
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("Done.")]),
    host: {
      toolsets: toolsOf(askingTool(APPROVAL, heard as never[])),
      policy: () => ({ ...DEFAULT_POLICY, toolsets: { chat: ["test"] }, chatApprovers: ["wecom:user9"] }),
    },
  });
  fake.send({ group: "wr1", text: "@Agent clean up" });
  await fake.history.until(() => fake.history.messages.some(({ buttons }) => buttons.length > 0));
  expect(fake.history.said("wr1")[0]).toContain("rm -r build");
  fake.press("Allow once", 2);
  await fake.history.until(() => fake.shown.length === 1);
  expect(fake.shown).toEqual(["You are not among those who may approve here."]);
  expect(heard).toEqual([]);
  fake.press("Allow once", 9);
  await fake.history.until(() => fake.history.said("wr1").includes("Done.") && fake.shown.length === 2);
  expect(fake.shown[1]).toBe("Taken.");
  expect(heard).toMatchObject([{ outcome: "answered" }]);
  expect(chat.reported).toEqual([]);
});

test("pictures are decrypted and reach the model; what is said is read", async () => {
  await using fake = await FakeWecom.start();
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(JSON.stringify(messages.at(-1)).slice(0, 800))],
  });
  await using chat = await start(fake, { models });
  const text = undefined;
  fake.send({ more: { text, msgtype: "image", image: fake.fileOf(smallPng()) } });
  const items = [
    { msgtype: "text", text: { content: "look" } },
    { msgtype: "image", image: fake.fileOf(smallPng()) },
    7,
  ];
  fake.send({ user: 2, more: { text, msgtype: "mixed", mixed: { msg_item: items } } });
  fake.send({ user: 3, more: { text, msgtype: "voice", voice: { content: "spoken" } } });
  const wrong = { ...fake.fileOf(smallPng()), aeskey: Buffer.alloc(32, 1).toString("base64") };
  fake.send({ user: 4, more: { text, msgtype: "image", image: wrong } });
  await fake.history.until(() => [1, 2, 3, 4].every((each) => fake.history.said(`user${each}`).length > 0));
  expect(fake.history.said("user1")[0]).toContain("image/png");
  expect(fake.history.said("user2")[0]).toContain("look");
  expect(fake.history.said("user2")[0]).toContain("image/png");
  expect(fake.history.said("user3")[0]).toContain("spoken");
  expect(fake.history.said("user4")[0]).toContain("could not be decrypted");
  expect(chat.reported).toEqual([]);
});

test("a connection that is cut is made again; what cannot be read is passed over", async () => {
  await using fake = await FakeWecom.start();
  await using chat = await start(fake, { models: echoModel() });
  fake.say(1, "one");
  await fake.history.until(() => fake.history.said("user1").length === 1);
  fake.cut();
  fake.event("aibot_msg_callback", "user1", { msgid: 7 });
  fake.event("aibot_event_callback", "user1", { msgid: "e", from: { userid: "user1" }, msgtype: "event" });
  fake.say(1, "two");
  await fake.history.until(() => fake.history.said("user1").length === 2);
  expect(fake.connections).toBe(2);
  expect(await chat.inbox.list({ limit: 10 })).toHaveLength(2);
  const event = { eventtype: "disconnected_event" };
  fake.event("aibot_event_callback", "user1", { msgid: "d", from: { userid: "x" }, msgtype: "event", event });
  await expect.poll(() => chat.states.at(-1)).toBe("retrying");
  expect(chat.reported).toEqual([]);
});

test("without a connection nothing goes out, heartbeats are sent, and a connection that nobody reads is closed", async () => {
  await using fake = await FakeWecom.start();
  const clock = handClock();
  const account = { ...fake.account, mode: "connection" as const, extra: {} };
  const channel = wecomChannel(account, { ...portsTo(fake.url), clock });
  const over = AbortSignal.abort();
  await expect(channel.send(message("x"), over)).rejects.toMatchObject({
    code: "delivery_failed",
    details: {},
  });
  await channel.connect([], signal);
  const life = new AbortController();
  const sink = { take: () => Promise.resolve(), alive: () => undefined } as never;
  const receiving = channel.receive?.(sink, life.signal);
  clock.advance(30_000);
  await fake.history.until(() => fake.pings === 1);
  const sent = channel.send(message("a"), signal);
  await fake.history.until(() => fake.history.said("user1").length === 1);
  expect(await sent).toBe("o-1");
  fake.refusal = 45_009;
  await expect(channel.send(message("b"), signal)).rejects.toMatchObject({
    code: "delivery_failed",
    details: { retryAfterMs: 1000 },
  });
  fake.refusal = 40_003;
  await expect(channel.send(message("b"), signal)).rejects.toMatchObject({ code: "not_found" });
  fake.cut();
  await expect(receiving).rejects.toMatchObject({ code: "fetch_failed" });
  await channel.connect([], signal);
  clock.advance(2000);
  await expect(channel.send(message("c"), over)).rejects.toMatchObject({ code: "delivery_failed" });
  const wrong = wecomChannel({ ...account, secrets: { secret: "wrong" } }, portsTo(fake.url));
  await expect(wrong.connect([], signal)).rejects.toMatchObject({ code: "unauthorized" });
});

test("a question whose card does not follow its text is not sent again as if nothing was there", async () => {
  await using fake = await FakeWecom.start();
  const accounts = [
    { ...fake.account, mode: "connection" as const, extra: {} },
    { ...FAKE_WECOM_APP.account, baseUrl: fake.url, mode: "webhook" as const, extra: {} },
  ];
  for (const account of accounts) {
    fake.cardRefusal = undefined;
    const channel = wecomChannel(account, portsTo(fake.url));
    await channel.connect([], signal);
    const life = new AbortController();
    const sink = { take: () => Promise.resolve(), alive: () => undefined } as never;
    const receiving = channel.receive?.(sink, life.signal).catch(() => undefined);
    const asked = message("May I?", {
      buttons: [{ label: "Yes", value: "q:1:0" }],
      once: `o-${account.mode}`,
    });
    await channel.send(asked, signal);
    fake.cardRefusal = 45_009;
    await expect(channel.send({ ...asked, again: true }, signal)).rejects.toMatchObject({
      code: "delivery_failed",
      details: { uncertain: true, retryAfterMs: 1000 },
    });
    fake.cut();
    await receiving;
  }
  expect(fake.history.said("user1")).toEqual([
    "May I?",
    "Please choose",
    "May I?",
    "May I?",
    "Please choose",
    "May I?",
  ]);
});

test("an app's address is proved, and what is forged, old, meant for others or changed is refused", async () => {
  await using fake = await FakeWecom.start();
  await using chat = await startApp(fake, { models: echoModel() });
  expect(await chat.connector.webhook(challenge("12345"))).toMatchObject({ status: 200, body: "12345" });
  const genuine = postedXml(writtenXml("once"));
  const other = postedXml(writtenXml("twice", "4502"));
  const forged = [
    challenge("12345", { token: "another" }),
    challenge("12345", { corp: "wwother" }),
    postedXml(writtenXml("x"), { token: "another" }),
    postedXml(writtenXml("x"), { corp: "wwother" }),
    postedXml(writtenXml("x"), { at: Date.now() - 3_700_000 }),
    { ...genuine, body: other.body },
    { ...genuine, query: {} },
    { ...genuine, body: Buffer.from("<xml>") },
    { ...genuine, body: Buffer.from("<xml><Encrypt>" + "<a>".repeat(1000)) },
  ];
  for (let index = 0; index < times(200); index += 1)
    for (const request of forged) expect((await chat.connector.webhook(request)).status).toBe(401);
  expect(await chat.inbox.list({ limit: 10 })).toEqual([]);
  expect(await chat.connector.webhook(genuine)).toMatchObject({ status: 200, body: "" });
  await fake.history.until(() => fake.history.said("user1").some((text) => text.includes(answerTo("once"))));
  expect(chat.reported).toEqual([]);
});

test("an app answers long texts in several messages, gets pictures, and its buttons answer questions", async () => {
  await using fake = await FakeWecom.start();
  fake.files.set("media-1", smallPng());
  const heard: { readonly outcome: string }[] = [];
  const long = "这是一个很长的回答。".repeat(200);
  await using chat = await startApp(fake, {
    models: scriptedModel([say(long)], [say("A picture.")], [callTool("ask")], [say("Done.")]),
    host: {
      toolsets: toolsOf(askingTool(APPROVAL, heard as never[])),
      policy: () => ({ ...DEFAULT_POLICY, toolsets: { chat: ["test"] }, chatApprovers: ["wecom:user1"] }),
    },
  });
  await chat.connector.webhook(postedXml(writtenXml("tell me", "1")));
  await fake.history.until(() => fake.history.said("user1").join("").length >= long.length);
  expect(fake.history.said("user1").length).toBeGreaterThan(2);
  const begin = "<FromUserName><![CDATA[user1]]></FromUserName><CreateTime>1</CreateTime>";
  const picture = `${begin}<MsgType><![CDATA[image]]></MsgType><MediaId><![CDATA[media-1]]></MediaId><MsgId>2</MsgId>`;
  await chat.connector.webhook(postedXml(picture));
  await fake.history.until(() => fake.history.said("user1").includes("A picture."));
  fake.expire();
  await chat.connector.webhook(postedXml(writtenXml("clean up", "3")));
  await fake.history.until(() => fake.history.messages.some(({ buttons }) => buttons.length > 0));
  const card = fake.history.messages.find(({ buttons }) => buttons.length > 0);
  const pressed =
    `${begin}<MsgType><![CDATA[event]]></MsgType><Event><![CDATA[template_card_event]]></Event>` +
    `<EventKey><![CDATA[${card?.buttons[0]?.value ?? ""}]]></EventKey><TaskId><![CDATA[${card?.id ?? ""}]]></TaskId>`;
  await chat.connector.webhook(postedXml(pressed));
  await fake.history.until(() => fake.history.said("user1").includes("Done."));
  expect(heard).toMatchObject([{ outcome: "answered" }]);
  expect(fake.tokens).toBe(2);
  expect(chat.reported).toEqual([]);
});

test("the settings of an app that are wrong are said", async () => {
  await using fake = await FakeWecom.start();
  const account = { ...FAKE_WECOM_APP.account, baseUrl: fake.url, mode: "webhook" as const, extra: {} };
  for (const from of ["ww0fake", "ww0fake/x", "/1", "ww0fake/1/2"])
    expect(() => wecomChannel({ ...account, from }, portsTo(fake.url))).toThrow("platforms.wecom.from");
  const wrong = wecomChannel({ ...account, secrets: { secret: "wrong" } }, portsTo(fake.url));
  await expect(wrong.connect([], signal)).rejects.toMatchObject({ code: "unauthorized" });
  const stranger = wecomChannel(account, portsTo(fake.url)).send(
    message("x", { place: { ...DIRECT, chatId: "z" } }),
    signal,
  );
  await expect(stranger).rejects.toMatchObject({ code: "not_found" });
});

test("of two elements of one name the first counts, whatever somebody writes", () => {
  const told = "]]></Content><FromUserName><![CDATA[boss]]></FromUserName><X><![CDATA[";
  expect(Object.fromEntries(readXml(`<xml>${writtenXml(told)}</xml>`))).toMatchObject({
    FromUserName: "user1",
  });
  expect(
    Object.fromEntries(readXml("<xml>\n<A>1 &lt; 2 &amp;lt;</A>\n<B><![CDATA[<A>x</A>]]></B><C>")),
  ).toEqual({
    A: "1 < 2 &lt;",
    B: "<A>x</A>",
  });
  expect(readXml("no xml").size).toBe(0);
});
