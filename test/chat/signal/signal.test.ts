import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { DEFAULT_POLICY, promptText, type ToolAnswer } from "../../../src/core/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { CommandStage } from "../../kit/command.ts";
import { callTool, gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { quick } from "../kit/fake-platform.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { FakeSignal, groupOf, numberOf, OWN_NUMBER, uuidOf } from "./fake-signal.ts";

const [signal] = CHAT_PLATFORMS.filter(({ name }) => name === "signal");
if (signal === undefined) throw new Error("There is no Signal.");
const quickSignal = quick(signal);

const start = async (
  fake: FakeSignal,
  options: Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">,
) => {
  const chat = await startChat({ platform: quickSignal, account: fake.account, ...options });
  await fake.listened();
  return chat;
};

const channelTo = (fake: FakeSignal) =>
  quickSignal.open({ ...fake.account, mode: "connection", extra: {} }, portsTo(fake.url));

const ANN = numberOf(1);
const GROUP = { groupInfo: { groupId: "g1", type: "DELIVER" } };
const MENTION = { name: "Agent", number: OWN_NUMBER, start: 0, length: 1 };

/** A model that repeats. */
const echo = () =>
  scriptedModelWith({
    otherwise: ({ messages }) => {
      const last = messages.at(-1);
      return [say(`Answer to ${last?.role === "user" ? promptText(last.parts) : ""}.`)];
    },
  });

const statuses = async (chat: Awaited<ReturnType<typeof start>>) =>
  (await chat.inbox.list({ limit: 20 })).map(({ event, status }) => `${event.type} ${status}`).toSorted();

test.each(["json-rpc", "native"] as const)(
  "a direct message is read, and its answer grows in one message; mode %s",
  async (mode) => {
    await using fake = await FakeSignal.start({ mode });
    const middle = gate();
    await using chat = await start(fake, {
      models: scriptedModel([say("First words"), wait(middle), say(", then the rest.")]),
    });
    const timestamp = fake.send(1, { message: "tell me" });
    await fake.history.until(() => fake.history.said(ANN).includes("First words"));
    await fake.history.until(() => fake.history.typing.includes(ANN) && fake.receipts.length > 0);
    middle.open();
    await fake.history.until(() => fake.history.said(ANN).includes("First words, then the rest."));
    expect(fake.history.said(ANN)).toHaveLength(1);
    expect(fake.receipts).toEqual([{ receipt_type: "read", recipient: uuidOf(1), timestamp }]);
    expect(chat.reported).toEqual([]);
  },
);

test("in a group only what is meant for the bot is answered, with a quote", async () => {
  await using fake = await FakeSignal.start();
  const models = scriptedModelWith({ otherwise: () => [say("Here.")] });
  await using chat = await start(fake, { models });
  fake.send(1, { message: "not for you", ...GROUP });
  const other = { name: "Ben", number: numberOf(2), start: 8, length: 1 };
  const asked = fake.send(1, { message: "\uFFFC hello \uFFFC!", mentions: [other, MENTION], ...GROUP });
  const place = groupOf("g1");
  await fake.history.until(() => fake.history.said(place).length === 1);
  fake.send(2, { message: "and you", quote: { id: 5, authorNumber: OWN_NUMBER, text: "Here." }, ...GROUP });
  await fake.history.until(() => fake.history.said(place).length === 2);
  expect(models.seen[0]).toEqual(["[P1]: hello @Ben!"]);
  expect(models.seen[1]?.at(-1)).toBe("[P2]: and you");
  expect(fake.sent[0]).toMatchObject({ quote_timestamp: asked, quote_author: uuidOf(1) });
  expect(chat.reported).toEqual([]);
});

test("a message that waits may be changed twice, or taken back; thumbs are feedback", async () => {
  await using fake = await FakeSignal.start();
  const busy = gate();
  const models = scriptedModel([wait(busy), say("One.")], [say("Two.")]);
  await using chat = await start(fake, { models });
  fake.send(1, { message: "one" });
  await busy.reached;
  const first = fake.send(1, { message: "wrogn" });
  const gone = fake.send(1, { message: "never mind" });
  const second = fake.edit(1, first, "wrong");
  fake.edit(1, second, "right");
  fake.edit(2, first, "forged");
  fake.send(1, { remoteDelete: { timestamp: gone } });
  await expect
    .poll(() => statuses(chat))
    .toEqual([
      "deletion answered",
      "edit answered",
      "edit answered",
      "edit answered",
      "message accepted",
      "message begun",
      "message withdrawn",
    ]);
  busy.open();
  await fake.history.until(() => fake.history.said(ANN).includes("Two."));
  expect(models.seen.at(-1)?.at(-1)).toBe("right");
  const target = fake.history.messages.find(({ text }) => text === "One.")?.id;
  const reaction = { emoji: "👍", targetAuthorNumber: OWN_NUMBER, targetSentTimestamp: Number(target) };
  fake.send(1, { reaction: { ...reaction, isRemove: false } });
  fake.send(1, { reaction: { ...reaction, targetAuthorNumber: ANN } });
  fake.send(1, { reaction: { ...reaction, isRemove: true } });
  await expect
    .poll(async () => (await statuses(chat)).filter((each) => each === "reaction answered"))
    .toHaveLength(2);
  expect(chat.reported).toEqual([]);
});

test("pictures come in, and files go out", async () => {
  await using fake = await FakeSignal.start();
  const models = scriptedModel([say("Seen.")]);
  await using chat = await start(fake, { models });
  fake.files.set("a1", new Uint8Array([1, 2, 3]));
  const attachments = [{ id: "a1", contentType: "image/png", filename: "cat.png", size: 3 }];
  fake.send(1, { message: "look", attachments });
  await fake.history.until(() => fake.history.said(ANN).includes("Seen."));
  const parts = models.requests[0]?.messages.flatMap((each) => (each.role === "user" ? each.parts : []));
  expect(parts?.map(({ type }) => type)).toEqual(["text", "image"]);
  const file = { name: "c;1.txt", mediaType: "text/plain", bytes: Buffer.from("words") };
  const place = { kind: "direct", chatId: ANN } as const;
  const channel = await channelTo(fake);
  await channel.send({ place, text: "", source: "", once: "o", file }, new AbortController().signal);
  expect(fake.sent.at(-1)?.["base64_attachments"]).toEqual([
    `data:text/plain;filename=c_1.txt;base64,${Buffer.from("words").toString("base64")}`,
  ]);
  expect(chat.reported).toEqual([]);
});

test("a question is numbered text, and its answer is taken", async () => {
  await using fake = await FakeSignal.start();
  const heard: ToolAnswer[] = [];
  const ask = askingTool({ kind: "clarify", question: "Which?", choices: ["red", "blue"] }, heard);
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("done")]),
    host: { toolsets: toolsOf(ask), policy: { ...DEFAULT_POLICY, chatToolsets: { signal: ["test"] } } },
  });
  fake.send(1, { message: "paint" });
  await fake.history.until(() => fake.history.said(ANN).some((text) => text.includes("2. blue")));
  fake.send(1, { message: "2" });
  await fake.history.until(() => fake.history.said(ANN).includes("done"));
  expect(heard).toMatchObject([{ outcome: "answered", text: "blue" }]);
  expect(chat.reported).toEqual([]);
});

test("a connection that is cut is made again", async () => {
  await using fake = await FakeSignal.start();
  await using chat = await start(fake, { models: echo() });
  fake.cut();
  await fake.history.until(() => fake.connections === 2);
  fake.send(1, { message: "two" });
  await fake.history.until(() => fake.history.said(ANN).includes("Answer to two."));
  expect(chat.reported).toEqual([]);
});

test("what went out when its answer was lost goes out again, marked", async () => {
  await using fake = await FakeSignal.start();
  await using chat = await start(fake, { models: echo() });
  fake.lose = 1;
  fake.send(1, { message: "hi" });
  const again = "(sent again after a fault)\n\nAnswer to hi.";
  await fake.history.until(() => fake.history.said(ANN).includes(again));
  expect(fake.history.said(ANN)).toHaveLength(2);
  expect(chat.reported).toEqual([]);
});

test("a number that the service does not have keeps it off, and says what to do", async () => {
  await using fake = await FakeSignal.start();
  fake.number = "+1";
  await using chat = await startChat({ platform: quickSignal, account: fake.account, models: echo() });
  await expect.poll(() => chat.states.at(-1)).toBe("off");
  expect(chat.reported.map(({ message }) => message).join()).toContain(`no account ${OWN_NUMBER}`);
});

test("the requests have the shape of the service, and its refusals are understood", async () => {
  await using fake = await FakeSignal.start();
  const channel = await channelTo(fake);
  const place = { kind: "direct", chatId: ANN } as const;
  const send = (text: string) =>
    channel.send({ place, text, source: text, once: "o" }, new AbortController().signal);
  const id = await send("Hi");
  expect(fake.sent).toEqual([{ message: "Hi", number: OWN_NUMBER, recipients: [ANN] }]);
  for (const text of ["Hi you", "Hi you there"])
    await channel.edit?.({ place, messageId: id, text, source: text }, new AbortController().signal);
  expect(fake.history.said(ANN)).toEqual(["Hi you there"]);
  // Each change names the version before it.
  expect(new Set(fake.sent.slice(1).map((body) => body["edit_timestamp"])).size).toBe(2);
  await expect(send("x".repeat(2001))).rejects.toMatchObject({ code: "invalid_params" });
  fake.isLimited = true;
  await expect(send("Hi")).rejects.toMatchObject({
    code: "delivery_failed",
    message: expect.stringContaining("captcha"),
    details: { retryAfterMs: 300_000 },
  });
});

test("what cannot be read, and what is nobody's message, is nothing", async () => {
  await using fake = await FakeSignal.start();
  await using chat = await start(fake, { models: echo() });
  for (const text of ["no json", "[]", "7", "null", '{"error":"x"}', '{"envelope":{"dataMessage":5}}'])
    fake.frame(text);
  for (const content of [
    { receiptMessage: { when: 1 } },
    { typingMessage: { action: "STARTED" } },
    { syncMessage: { sentMessage: { message: "mine" } } },
    { dataMessage: { timestamp: 3, message: null, groupInfo: { groupId: "g", type: "UPDATE" } } },
  ])
    fake.hand(1, content);
  fake.send(1, { message: "hi", mentions: [{ start: -1 }, "x"], attachments: [{}], quote: 5 });
  await fake.history.until(() => fake.history.said(ANN).includes("Answer to hi."));
  expect(fake.history.messages.filter(({ by }) => by === "bot")).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});

test("agent gateway runs Signal alone, and answers there; without a number it says what is missing", async () => {
  await using fake = await FakeSignal.start();
  await using stage = new CommandStage();
  const block = { enabled: true, base_url: fake.url, from: OWN_NUMBER, extra: { allow: [uuidOf(1)] } };
  stage.configure(`platforms: ${JSON.stringify({ signal: block })}\n`);
  const gateway = stage.start(["gateway"]);
  await fake.listened();
  fake.send(1, { message: "count to 3" });
  await fake.history.until(() => fake.history.said(ANN).some((text) => text.includes("1 2 3")));
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
  const { from: _from, ...without } = block;
  stage.configure(`platforms: ${JSON.stringify({ signal: without })}\n`);
  expect((await stage.ask(["doctor"])).stdout).toContain("platforms.signal.from is missing");
});

provePlatform({ platform: signal, start: (options) => FakeSignal.start(options), forgets: true });
