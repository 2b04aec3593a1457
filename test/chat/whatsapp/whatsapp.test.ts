import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { DEFAULT_POLICY, type ToolAnswer } from "../../../src/core/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { times } from "../../kit/counts.ts";
import { callTool, gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { smallPng } from "../../kit/small-png.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { type ChatProcess, type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { hasAnswer, historyFaults } from "../kit/check-history.ts";
import { answerTo, echoModel } from "../kit/echo-model.ts";
import { quick } from "../kit/fake-platform.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { graphRefusal } from "./fake-graph.ts";
import { FAKE_APP, FakeWhatsapp, noticeOf } from "./fake-whatsapp.ts";

const [whatsapp] = CHAT_PLATFORMS.filter(({ name }) => name === "whatsapp");
if (whatsapp === undefined) throw new Error("There is no WhatsApp.");
const platform = quick(whatsapp);

type Options = Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">;

/** Starts a connector to which the fake posts. */
async function start(fake: FakeWhatsapp, options: Options): Promise<ChatProcess> {
  const chat = await startChat({ platform, account: fake.account, ...options });
  fake.postTo((request) => chat.connector.webhook(request));
  return chat;
}

const policy = { ...DEFAULT_POLICY, toolsets: { chat: ["test"] }, chatApprovers: ["whatsapp:1"] };

test("a message is answered with the signs of phones, marked as read, and shows that it is written", async () => {
  await using fake = await FakeWhatsapp.start();
  const middle = gate();
  const models = scriptedModel([say("Hello "), wait(middle), say("**Ann**.")]);
  await using chat = await start(fake, { models });
  const id = fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.typing.length === 1);
  expect(fake.requests).toEqual([
    { messaging_product: "whatsapp", status: "read", message_id: id, typing_indicator: { type: "text" } },
  ]);
  middle.open();
  await fake.history.until(() => fake.history.said("1").includes("Hello *Ann*."));
  expect(fake.requests.at(-1)).toEqual({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: "1",
    type: "text",
    text: { body: "Hello *Ann*." },
  });
  await fake.history.until(() => fake.unconfirmed === 0);
  expect((await chat.inbox.list({ limit: 10 }))[0]?.event).toMatchObject({ from: { id: "1", name: "Ann" } });
  expect(chat.reported).toEqual([]);
});

test("the sign of writing is shown once, however many words come", async () => {
  await using fake = await FakeWhatsapp.start();
  const end = gate();
  const words = Array.from({ length: 50 }, (_, index) => say(`word${index} `));
  const models = scriptedModel([...words, wait(end), say("end")]);
  const slow = { ...platform, limits: { ...platform.limits, typingMs: 3_600_000 } };
  await using chat = await start(fake, { models, platform: slow });
  fake.send({ text: "hi" });
  await end.reached;
  await fake.history.until(() => fake.history.typing.length > 0);
  end.open();
  await fake.history.until(() => fake.history.said("1").some((text) => text.endsWith("end")));
  expect(fake.history.typing).toEqual(["1"]);
  expect(chat.reported).toEqual([]);
});

test("three short answers are buttons, and a button is told what became of it", async () => {
  await using fake = await FakeWhatsapp.start();
  const heard: ToolAnswer[] = [];
  const asks = askingTool({ kind: "clarify", question: "Which colour?", choices: ["red", "blue"] }, heard);
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("Thanks.")]),
    host: { toolsets: toolsOf(asks), policy },
  });
  fake.send({ text: "paint it" });
  await fake.history.until(() => fake.history.messages.some(({ buttons }) => buttons.length === 2));
  fake.press("blue");
  await fake.history.until(() => fake.history.said("1").includes("Thanks."));
  expect(heard).toEqual([{ outcome: "answered", text: "blue" }]);
  await fake.history.until(() => fake.history.said("1").includes("Taken."));
  expect(chat.reported).toEqual([]);
});

test("an approval is a list; it counts from approvers only, and who may not is told", async () => {
  await using fake = await FakeWhatsapp.start();
  let ran = 0;
  const tool = testTool("launch", { effect: "once", run: () => Promise.resolve(`launched ${(ran += 1)}`) });
  const launch = [callTool("launch")];
  await using chat = await start(fake, {
    models: scriptedModel(launch, [say("It is launched.")]),
    host: { toolsets: toolsOf(tool), policy },
  });
  fake.send({ user: 2, text: "launch it" });
  const asked = () => fake.history.messages.some(({ buttons }) => buttons.length > 0);
  await fake.history.until(asked);
  fake.press("Allow in this conversation", 2);
  await fake.history.until(() => fake.history.said("2").some((text) => text.includes("not among those")));
  expect(ran).toBe(0);
  // A chat has one person: another's press is about no question of theirs.
  fake.press("Allow in this conversation", 1);
  await fake.history.until(() => fake.history.said("1").includes("This question is over."));
  expect(ran).toBe(0);
  expect(chat.reported).toEqual([]);
});

test("more than ten answers are numbered", async () => {
  await using fake = await FakeWhatsapp.start();
  const heard: ToolAnswer[] = [];
  const choices = Array.from({ length: 11 }, (_, index) => `colour ${index}`);
  const asks = askingTool({ kind: "clarify", question: "Which colour?", choices }, heard);
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("Thanks.")]),
    host: { toolsets: toolsOf(asks), policy },
  });
  fake.send({ text: "paint it" });
  await fake.history.until(() => fake.history.said("1").some((text) => text.includes("11. colour 10")));
  fake.send({ text: "11" });
  await fake.history.until(() => fake.history.said("1").includes("Thanks."));
  expect(heard).toEqual([{ outcome: "answered", text: "colour 10" }]);
  expect(chat.reported).toEqual([]);
});

test("pictures reach the model; other kinds of messages are words, or are answered with words", async () => {
  await using fake = await FakeWhatsapp.start();
  fake.files.set("m1", smallPng());
  const seen: unknown[] = [];
  const models = scriptedModelWith({
    otherwise: ({ messages }) => {
      seen.push(messages.at(-1));
      return [say("I see.")];
    },
  });
  await using chat = await start(fake, { models });
  const image = { id: "m1", mime_type: "image/png", caption: "look" };
  fake.send({ user: 1, more: { type: "image", image } });
  fake.send({
    user: 2,
    more: { type: "document", document: { id: "m2", mime_type: "text/csv", filename: "a.csv" } },
  });
  fake.send({
    user: 3,
    more: { type: "location", location: { latitude: 1.5, longitude: 2.5, name: "Home" } },
  });
  const contact = { name: { formatted_name: "Bo" }, phones: [{ phone: "+1 555" }] };
  fake.send({ user: 4, more: { type: "contacts", contacts: [contact] } });
  fake.send({ user: 5, more: { type: "unsupported", errors: [{ code: 131_051 }] } });
  fake.send({ user: 6, more: { type: "system", system: { body: "changed" } } });
  fake.send({ user: 7, more: { type: "text", text: { body: "in a group" }, group_id: "g1" } });
  for (const place of ["1", "2", "3", "4", "5"])
    await fake.history.until(() => fake.history.said(place).length === 1);
  await fake.history.until(() => fake.unconfirmed === 0);
  const all = JSON.stringify(seen);
  expect(seen).toHaveLength(3);
  for (const words of ["image/png", "look", "Location: 1.5, 2.5 (Home)", "Contact: Bo +1 555"])
    expect(all).toContain(words);
  expect(fake.history.said("2").join()).toContain("a.csv was not taken");
  expect(fake.history.said("5")).toEqual(["There is nothing in your message that I can read."]);
  expect([...fake.history.said("6"), ...fake.history.said("7")]).toEqual([]);
  expect(chat.reported).toEqual([]);
});

test("thumbs are feedback, and people whose number is hidden are answered by their id", async () => {
  await using fake = await FakeWhatsapp.start();
  await using chat = await start(fake, { models: echoModel() });
  fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.said("1").length === 1);
  await expect.poll(async () => (await chat.inbox.list({ limit: 1 }))[0]?.status).toBe("answered");
  const answer = fake.history.messages.find(({ by }) => by === "bot");
  const [entry] = await chat.inbox.list({ limit: 1 });
  fake.send({ more: { type: "reaction", reaction: { message_id: answer?.id, emoji: "👍🏽" } } });
  const session = await chat.host.session(entry?.sessionId ?? "");
  await expect
    .poll(async () => {
      const events: unknown[] = [];
      for await (const event of session.events({ follow: false })) events.push(event);
      return JSON.stringify(events);
    })
    .toContain('"verdict":"up"');
  const hidden = { from: undefined, from_user_id: "DE.77", type: "text", text: { body: "psst" } };
  fake.send({ user: 2, more: hidden });
  await fake.history.until(() => fake.history.said("DE.77").some((text) => text.includes(answerTo("psst"))));
  expect(fake.requests.at(-1)).toMatchObject({ recipient: "DE.77" });
  expect(chat.reported).toEqual([]);
});

test("a message that does not arrive after all fails, and its operator is told, once", async () => {
  await using fake = await FakeWhatsapp.start();
  await using chat = await start(fake, { models: echoModel() });
  fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.said("1").length === 1);
  await expect.poll(async () => (await chat.inbox.list({ limit: 1 }))[0]?.status).toBe("answered");
  const answer = fake.history.messages.find(({ by }) => by === "bot");
  for (let index = 0; index < 3; index += 1) fake.fail(answer?.id ?? "", 131_047, "Re-engagement message");
  await fake.history.until(() => fake.unconfirmed === 0);
  const [entry] = await chat.inbox.list({ limit: 1 });
  expect(entry).toMatchObject({ status: "failed", error: expect.stringContaining("code 131047") });
  expect(chat.reported.map(({ message }) => message)).toEqual([
    expect.stringMatching(/A message to 1 did not arrive: Re-engagement message.*24 hours/),
  ]);
});

test("a text to somebody who has not written for a day fails for good, and says so", async () => {
  await using fake = await FakeWhatsapp.start();
  await using chat = await start(fake, { models: echoModel() });
  fake.refusal = graphRefusal(400, 131_047, "Re-engagement message");
  const delivery = { id: "d1", target: { chatId: "1" }, text: "The report." };
  const failed = chat.connector.deliver(delivery, new AbortController().signal);
  await expect(failed).rejects.toMatchObject({
    code: "invalid_params",
    message: expect.stringContaining("They have not written for 24 hours"),
  });
});

test.each([
  [429, 130_429, { code: "delivery_failed", details: { retryAfterMs: 1000 } }],
  [400, 131_056, { code: "delivery_failed", details: { retryAfterMs: 10_000 } }],
  [401, 190, { code: "unauthorized" }],
  [500, 131_000, { code: "delivery_failed", details: { uncertain: true } }],
  [400, 131_026, { code: "invalid_params" }],
])("a refusal with status %d and code %d is understood", async (...[status, code, error]) => {
  await using fake = await FakeWhatsapp.start();
  await using chat = await start(fake, { models: echoModel() });
  fake.refusal = graphRefusal(status, code, "No");
  const delivery = { id: "d1", target: { chatId: "1" }, text: "Hi" };
  const failed = chat.connector.deliver(delivery, new AbortController().signal);
  await expect(failed).rejects.toMatchObject(error);
  await expect(failed).rejects.not.toThrow(FAKE_APP.token);
});

test("the address is proved to Meta with the token of the owner only", async () => {
  await using fake = await FakeWhatsapp.start();
  await using chat = await start(fake, { models: echoModel() });
  const asked = async (token: string, challenge = "1158201444") =>
    await chat.connector.webhook({
      method: "GET",
      headers: {},
      query: { "hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": challenge },
      body: new Uint8Array(),
    });
  expect(await asked(FAKE_APP.verifyToken)).toEqual({ status: 200, body: "1158201444" });
  expect((await asked("another")).status).toBe(403);
  expect((await asked("")).status).toBe(403);
  expect((await asked(FAKE_APP.verifyToken, "<script>")).status).toBe(403);
});

test("a file goes out as a picture or a document, with its caption", async () => {
  await using fake = await FakeWhatsapp.start();
  const channel = await whatsapp.open(
    { ...fake.account, mode: "webhook", extra: {} },
    portsTo(fake.account.baseUrl),
  );
  const place = { kind: "direct", chatId: "1" } as const;
  const { signal } = new AbortController();
  const send = (name: string, mediaType: string, text: string) =>
    channel.send(
      { place, text, source: text, once: name, file: { name, mediaType, bytes: smallPng() } },
      signal,
    );
  await send("a.png", "image/png", "A picture.");
  await send("a.csv", "text/csv", "x".repeat(2000));
  const seen = fake.history.messages.map(({ text, files }) => [text.length, files]);
  expect(seen).toEqual([
    [10, ["image"]],
    [2000, []],
    [0, ["document a.csv"]],
  ]);
  await expect(send("a.zip", "application/zip", "Packed.")).rejects.toMatchObject({
    code: "invalid_params",
    message: expect.stringContaining("application/zip are not taken"),
  });
  expect(fake.history.messages).toHaveLength(3);
});

test("messages through a platform with every fault are each answered once, or say so", async () => {
  const share = 0.1;
  await using fake = await FakeWhatsapp.start({
    faults: { drop: share, lose: share, garble: share, limit: share, duplicate: share, reorder: share },
  });
  await using chat = await start(fake, { models: echoModel() });
  const sent = Array.from({ length: times(200) }, (_, index) => {
    const text = `w${index}`;
    return { place: fake.say(1 + (index % 10), text), answer: answerTo(text) };
  });
  await fake.history.until(() =>
    sent.every(({ place, answer }) => fake.history.said(place).some((text) => hasAnswer(text, answer))),
  );
  expect(historyFaults(fake.history, sent)).toEqual([]);
  expect(chat.reported).toEqual([]);
});

provePlatform({
  platform: whatsapp,
  start: (options) => FakeWhatsapp.start(options),
  signed: (secret, text) => {
    const message = { from: "1", id: "wamid.once", timestamp: "1", type: "text", text: { body: text } };
    return noticeOf({ messages: [message] }, secret);
  },
  webhook: { account: {}, secret: FAKE_APP.appSecret },
});
