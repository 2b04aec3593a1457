import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { DEFAULT_POLICY, promptText, type ToolAnswer } from "../../../src/core/index.ts";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { random } from "../../kit/counts.ts";
import { callTool, gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { quick } from "../kit/fake-platform.ts";
import { hurriedClock } from "../kit/hurried-clock.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { FakeMatrix, mxid } from "./fake-matrix.ts";
import { BOT_ID } from "./fake-rooms.ts";

const [matrix] = CHAT_PLATFORMS.filter(({ name }) => name === "matrix");
if (matrix === undefined) throw new Error("There is no Matrix.");
const quickMatrix = quick(matrix);

const start = async (
  fake: FakeMatrix,
  options: Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">,
) => {
  const chat = await startChat({ platform: quickMatrix, account: fake.account, ...options });
  await fake.listened();
  return chat;
};

const DM = "!dm1:fake.test";
const HALL = "!hall:fake.test";

/** A fake with a direct room and one of several people. */
async function withRooms(options = {}): Promise<FakeMatrix> {
  const fake = await FakeMatrix.start(options);
  fake.rooms.make(DM, [BOT_ID, mxid(1)]);
  fake.rooms.make(HALL, [BOT_ID, mxid(1), mxid(2)]);
  return fake;
}

/** A model that repeats, and one that counts the messages of its conversation. */
const echo = () =>
  scriptedModelWith({
    otherwise: ({ messages }) => {
      const last = messages.at(-1);
      return [say(`Answer to ${last?.role === "user" ? promptText(last.parts) : ""}.`)];
    },
  });
const counting = () =>
  scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
  });

const statuses = async (chat: Awaited<ReturnType<typeof start>>) =>
  (await chat.inbox.list({ limit: 20 })).map(({ event, status }) => `${event.type} ${status}`).toSorted();

test("a direct message is read, answered in HTML, and the answer grows in one message", async () => {
  await using fake = await withRooms();
  const middle = gate();
  await using chat = await start(fake, {
    models: scriptedModel([say("First words"), wait(middle), say(", then **the rest**.")]),
  });
  const id = fake.send(DM, { body: "tell me" });
  await fake.history.until(() => fake.history.said(DM).includes("First words"));
  await fake.history.until(() => fake.history.typing.includes(DM));
  middle.open();
  await fake.history.until(() => fake.history.said(DM).includes("First words, then **the rest**."));
  expect(fake.history.said(DM)).toHaveLength(1);
  await fake.history.until(() =>
    fake.calls.some((call) => call.endsWith(`receipt/m.read/${encodeURIComponent(id)}`)),
  );
  expect(fake.bodies.at(-1)).toMatchObject({
    "m.relates_to": { rel_type: "m.replace" },
    "m.new_content": { formatted_body: "<p>First words, then <b>the rest</b>.</p>", "m.mentions": {} },
  });
  expect(chat.reported).toEqual([]);
});

test("in a room of several only what is meant for the bot is answered, in a thread, which is a conversation", async () => {
  await using fake = await withRooms();
  const models = counting();
  await using chat = await start(fake, { models });
  fake.send(HALL, { body: "not for you, nor for agents" });
  fake.send(HALL, { body: "a bot says: Agent: hello", msgtype: "m.notice" });
  const mentioned = { "m.mentions": { user_ids: [BOT_ID] } };
  const root = fake.send(HALL, { body: "Agent: hello", ...mentioned });
  await fake.history.until(() => fake.history.said(`${HALL}/${root}`).includes("seen 1"));
  const inThread = { "m.relates_to": { rel_type: "m.thread", event_id: root } };
  fake.send(HALL, { body: "and more", "m.mentions": {}, ...inThread }, 2);
  await fake.history.until(() => fake.history.said(`${HALL}/${root}`).includes("seen 2"));
  const old = fake.send(HALL, { body: "what does @agent say" });
  await fake.history.until(() => fake.history.said(`${HALL}/${old}`).includes("seen 1"));
  expect(fake.history.said(HALL)).toEqual([]);
  expect(models.seen[0]).toEqual(["[Name of p1]: hello"]);
  expect(fake.bodies[0]).toMatchObject({
    "m.relates_to": {
      rel_type: "m.thread",
      event_id: root,
      is_falling_back: true,
      "m.in_reply_to": { event_id: root },
    },
  });
  expect(chat.reported).toEqual([]);
});

test("an answer to what was delivered is meant for the bot, without the lines that it repeats", async () => {
  await using fake = await withRooms();
  const models = echo();
  await using chat = await start(fake, { models });
  const target = { chatId: HALL };
  await chat.connector.deliver({ id: "d", target, text: "The report." }, new AbortController().signal);
  const report = fake.history.messages[0]?.id;
  const body = `> <${BOT_ID}> The report.\n\nwhy`;
  const root = fake.send(HALL, { body, "m.relates_to": { "m.in_reply_to": { event_id: report } } });
  await fake.history.until(() => fake.history.said(`${HALL}/${root}`).length === 1);
  expect(models.seen[0]).toEqual(["[Name of p1]: why"]);
  expect(chat.reported).toEqual([]);
});

test("an invitation is accepted from those who may talk to it, and others are told why not", async () => {
  await using fake = await FakeMatrix.start();
  await using chat = await start(fake, { models: echo(), settings: { allow: [mxid(1)] } });
  const [mine, theirs] = ["!mine:fake.test", "!theirs:fake.test"];
  for (const [room, person] of [
    [mine, 1],
    [theirs, 2],
  ] as const) {
    fake.rooms.make(room, [mxid(person)]);
    fake.send(room, { body: "before" }, person);
    fake.rooms.enter(room, BOT_ID, { membership: "invite", by: mxid(person), is_direct: true });
  }
  fake.send(mine, { body: "hello" });
  await fake.history.until(() => fake.history.said(mine).includes("Answer to hello."));
  expect(fake.history.said(mine)).toHaveLength(1);
  await fake.history.until(() => fake.rooms.membershipOf(theirs, BOT_ID) === "leave");
  const left = fake.rooms.events.findLast(({ room }) => room === theirs);
  expect(left?.content["reason"]).toContain(`${mxid(2)} belongs into platforms.matrix.extra.allow`);
  expect(chat.reported).toEqual([]);
});

test("in an encrypted room it says once that it cannot read, to those who may talk to it", async () => {
  await using fake = await withRooms();
  const store = memoryStore({ random: random(1), clock: hurriedClock });
  for (const word of ["one", "two"]) {
    await using chat = await start(fake, { models: echo(), store, settings: { allow: [mxid(1)] } });
    for (const [room, person] of [
      [DM, 1],
      [HALL, 2],
    ] as const)
      fake.event(room, { type: "m.room.encrypted", content: { algorithm: "m.megolm.v1.aes-sha2" } }, person);
    fake.send(DM, { body: word });
    await fake.history.until(() => fake.history.said(DM).includes(`Answer to ${word}.`));
    expect(chat.reported).toEqual([]);
  }
  expect(fake.calls.filter((call) => call.includes("/encrypted%3A"))).toHaveLength(1);
  expect(fake.history.said(DM).filter((text) => text.includes("cannot read encrypted"))).toHaveLength(1);
  expect(fake.history.said(HALL)).toEqual([]);
});

test("more than the news hold is read, and the next process goes on where the last one stopped", async () => {
  await using fake = await withRooms();
  const store = memoryStore({ random: random(1), clock: hurriedClock });
  {
    await using first = await start(fake, { models: echo(), store });
    fake.send(DM, { body: "one" });
    await fake.history.until(() => fake.history.said(DM).includes("Answer to one."));
    expect(first.reported).toEqual([]);
  }
  fake.rooms.most = 3;
  const words = Array.from({ length: 120 }, (_, index) => `w${index}`);
  for (const body of words) fake.send(DM, { body });
  await using chat = await start(fake, { models: echo(), store });
  await fake.history.until(() => fake.history.said(DM).length === words.length + 1);
  expect(fake.history.said(DM).slice(1)).toEqual(words.map((word) => `Answer to ${word}.`));
  expect(chat.reported).toEqual([]);
});

test("changes, deletions and thumbs count, also in a thread, and nobody changes another's message", async () => {
  await using fake = await withRooms();
  const busy = gate();
  const models = scriptedModel([wait(busy), say("One.")], [say("Two.")]);
  await using chat = await start(fake, { models });
  const root = fake.send(HALL, { body: "Agent: one" });
  await busy.reached;
  const inThread = { "m.relates_to": { rel_type: "m.thread", event_id: root } };
  const changed = fake.send(HALL, { body: "wrogn", ...inThread });
  const gone = fake.send(HALL, { body: "never mind", ...inThread });
  const change = (body: string) => ({
    body: `* ${body}`,
    "m.new_content": { msgtype: "m.text", body },
    "m.relates_to": { rel_type: "m.replace", event_id: changed },
  });
  fake.send(HALL, change("right"));
  fake.send(HALL, change("forged"), 2);
  fake.event(HALL, { type: "m.room.redaction", redacts: gone, content: { redacts: gone } });
  await expect
    .poll(() => statuses(chat))
    .toEqual([
      "deletion answered",
      "edit answered",
      "message accepted",
      "message begun",
      "message withdrawn",
    ]);
  busy.open();
  await fake.history.until(() => fake.history.said(`${HALL}/${root}`).includes("Two."));
  expect(models.seen.at(-1)?.at(-1)).toBe("[Name of p1]: right");
  const answer = fake.history.messages.find(({ text }) => text === "One.")?.id;
  const sign = { rel_type: "m.annotation", event_id: answer, key: "👍️" };
  const thumb = fake.event(HALL, { type: "m.reaction", content: { "m.relates_to": sign } });
  fake.event(HALL, { type: "m.room.redaction", redacts: thumb, content: {} });
  await expect
    .poll(() => statuses(chat))
    .toEqual(expect.arrayContaining(["reaction answered", "reaction answered"]));
  expect(chat.reported).toEqual([]);
});

test.each([false, true])("pictures come in, and files go out; an old server: %s", async (isOld) => {
  await using fake = await withRooms();
  fake.isOld = isOld;
  const models = scriptedModel([say("Seen.")]);
  await using chat = await start(fake, { models });
  fake.files.set("cat", new Uint8Array([1, 2, 3]));
  const info = { mimetype: "image/png", size: 3 };
  fake.send(DM, { msgtype: "m.image", body: "look", filename: "cat.png", url: "mxc://fake.test/cat", info });
  await fake.history.until(() => fake.history.said(DM).includes("Seen."));
  const parts = models.requests[0]?.messages.flatMap((each) => (each.role === "user" ? each.parts : []));
  expect(parts?.map(({ type }) => type)).toEqual(["text", "image"]);
  const channel = await quickMatrix.open(
    { ...fake.account, mode: "connection", extra: {} },
    portsTo(fake.url),
  );
  const file = { name: "c.txt", mediaType: "text/plain", bytes: Buffer.from("words") };
  const place = { kind: "direct", chatId: DM } as const;
  const message = { place, text: "", source: "", once: "once-1", file };
  await channel.send(message, new AbortController().signal);
  expect(fake.bodies.at(-1)).toMatchObject({ msgtype: "m.file", filename: "c.txt", body: "c.txt" });
  const [uri = ""] = fake.history.messages.at(-1)?.files ?? [];
  expect(Buffer.from(fake.files.get(uri.split("/").at(-1) ?? "") ?? []).toString()).toBe("words");
  expect(chat.reported).toEqual([]);
});

test("a question is numbered text, and its answer is taken", async () => {
  await using fake = await withRooms();
  const heard: ToolAnswer[] = [];
  const ask = askingTool({ kind: "clarify", question: "Which?", choices: ["red", "blue"] }, heard);
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("done")]),
    host: { toolsets: toolsOf(ask), policy: { ...DEFAULT_POLICY, chatToolsets: { matrix: ["test"] } } },
  });
  fake.send(DM, { body: "paint" });
  await fake.history.until(() => fake.history.said(DM).some((text) => text.includes("2. blue")));
  fake.send(DM, { body: "2" });
  await fake.history.until(() => fake.history.said(DM).includes("done"));
  expect(heard).toMatchObject([{ outcome: "answered", text: "blue" }]);
  expect(chat.reported).toEqual([]);
});

test("a token that is not valid keeps it off, and says what to do", async () => {
  await using fake = await withRooms();
  const account = { ...fake.account, secrets: { token: "another" } };
  await using chat = await startChat({ platform: quickMatrix, account, models: echo() });
  await expect.poll(() => chat.states.at(-1)).toBe("off");
  expect(chat.reported.map(({ message }) => message).join()).toContain("copy a new access token");
});

test("a message that is sent again is there once, and says all that it has to say", async () => {
  await using fake = await withRooms();
  const channel = await quickMatrix.open(
    { ...fake.account, mode: "connection", extra: {} },
    portsTo(fake.url),
  );
  const place = { kind: "direct", chatId: DM } as const;
  const { signal } = new AbortController();
  const id = await channel.send({ place, text: "<p>a</p>", source: "a", once: "o" }, signal);
  const whole = { place, text: "<p>a b</p>", source: "a b", once: "o", again: true } as const;
  expect(await channel.send(whole, signal)).toBe(id);
  expect(await channel.send(whole, signal)).toBe(id);
  expect(fake.history.said(DM)).toEqual(["a b"]);
  expect(fake.history.messages[0]?.before).toEqual(["a"]);
});

test("a text of any shape goes out as events that a server takes, also as changes", async () => {
  await using fake = await withRooms();
  await using chat = await start(fake, { models: echo() });
  const texts = [
    "漢".repeat(30_000),
    "<&>".repeat(9000),
    '"\\\n'.repeat(9000),
    "**a [b](c _d `e <f\n```\n<g>".repeat(900),
  ];
  for (const [index, text] of texts.entries())
    await chat.connector.deliver(
      { id: `d${index}`, target: { chatId: DM }, text },
      new AbortController().signal,
    );
  const channel = await quickMatrix.open(
    { ...fake.account, mode: "connection", extra: {} },
    portsTo(fake.url),
  );
  for (const { "m.relates_to": _none, ...content } of fake.bodies.slice()) {
    const { body: source, formatted_body: text } = content as { body: string; formatted_body: string };
    const messageId = fake.history.messages[0]?.id ?? "";
    const place = { kind: "direct", chatId: DM } as const;
    await channel.edit?.({ place, messageId, source, text }, new AbortController().signal);
  }
  expect(fake.bodies.length).toBeGreaterThan(2 * texts.length);
});

test("events that cannot be read are nothing", async () => {
  await using fake = await withRooms();
  await using chat = await start(fake, { models: echo() });
  for (const content of [
    { body: 7 },
    { body: "x", "m.relates_to": 5 },
    { msgtype: {} },
    { "m.mentions": [] },
  ])
    fake.send(HALL, content);
  for (const type of [
    "m.reaction",
    "m.room.redaction",
    "m.room.message",
    "m.room.encrypted",
    "m.room.member",
  ])
    fake.event(HALL, { type, content: {} });
  fake.send(DM, { body: "hi", "m.relates_to": null, "m.mentions": "all" });
  await fake.history.until(() => fake.history.said(DM).includes("Answer to hi."));
  expect(chat.reported).toEqual([]);
});

provePlatform({ platform: matrix, start: (options) => FakeMatrix.start(options) });
