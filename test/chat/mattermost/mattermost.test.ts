import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { DEFAULT_POLICY, promptText, type ToolAnswer, type ToolQuestion } from "../../../src/core/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { times } from "../../kit/counts.ts";
import { callTool, gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { type ChatProcess, type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { historyFaults } from "../kit/check-history.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { FAKE_TOKEN, FakeMattermost } from "./fake-mattermost.ts";

const [mattermost] = CHAT_PLATFORMS.filter(({ name }) => name === "mattermost");
if (mattermost === undefined) throw new Error("There is no Mattermost.");
/** A hundred times as fast as the real one. */
const rate = { burst: 1000, perSecond: 10_000 };
const quick = {
  ...mattermost,
  limits: {
    ...mattermost.limits,
    direct: rate,
    channel: rate,
    bot: rate,
    editEveryMs: 5,
    typingMs: 50,
  },
};

type Options = Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">;

/** Starts a connector that listens when this resolves. */
async function start(fake: FakeMattermost, options: Options): Promise<ChatProcess> {
  const before = fake.connections.count;
  const account = { baseUrl: fake.url, secrets: { token: FAKE_TOKEN } };
  const chat = await startChat({ platform: quick, account, ...options });
  await fake.history.until(() => fake.connections.count > before);
  return chat;
}

/** An account whose server reaches the agent. */
const buttonAccount = (fake: FakeMattermost) => ({
  baseUrl: fake.url,
  secrets: { token: FAKE_TOKEN, webhookSecret: "a-secret-of-the-tests" },
  extra: { webhook_url: "https://agent.example.org/webhooks/mattermost" },
});

const POLICY = { ...DEFAULT_POLICY, chatToolsets: { mattermost: ["test"] } };
const GRANT: ToolQuestion = {
  kind: "grant",
  command: "connect to example.org",
  description: "A command waits for this connection.",
  reasons: ["wants to reach a host that nobody has allowed"],
  patterns: ["reach:example.org"],
  allowPermanent: true,
  place: "inside",
};

/** A model that says how many messages it has seen in its conversation. */
const counting = () =>
  scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
  });

/** A model that repeats. */
const echoing = () =>
  scriptedModelWith({
    otherwise: ({ messages }) => {
      const last = messages.at(-1);
      return [say(`Answer to ${last?.role === "user" ? promptText(last.parts).slice(0, 100) : ""}.`)];
    },
  });

test("a direct message is answered in Markdown, with a sign of typing", async () => {
  await using fake = await FakeMattermost.start();
  await using chat = await start(fake, { models: scriptedModel([say("Hello **Ann**.")]) });
  fake.send({ text: "hi" });
  await fake.history.until(() => fake.history.said("dm-ann").includes("Hello **Ann**."));
  await fake.history.until(() => fake.history.typing.includes("dm-ann"));
  expect(chat.reported).toEqual([]);
  await expect
    .poll(async () => (await chat.inbox.list({ limit: 10 })).map(({ status }) => status))
    .toEqual(["answered"]);
});

test("an answer shows while it is written, and grows in one post", async () => {
  await using fake = await FakeMattermost.start();
  const middle = gate();
  await using chat = await start(fake, {
    models: scriptedModel([say("First words"), wait(middle), say(", then the rest.")]),
  });
  fake.send({ text: "tell me" });
  await fake.history.until(() => fake.history.said("dm-ann").includes("First words"));
  middle.open();
  await fake.history.until(() => fake.history.said("dm-ann").includes("First words, then the rest."));
  expect(fake.history.said("dm-ann")).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});

test("in a channel only mentions are answered, in a thread, in which all that follows is meant for the bot", async () => {
  await using fake = await FakeMattermost.start();
  const models = counting();
  await using chat = await start(fake, { models });
  fake.send({ channel: "town", text: "not for @agent.smith, and not for you" });
  fake.send({ channel: "town", text: "@agentive hello", user: "bot", more: { props: { from_bot: "true" } } });
  const root = fake.send({ channel: "town", text: "@Agent: hello" });
  await fake.history.until(() => fake.history.said(`town/${root}`).includes("seen 1"));
  fake.send({ channel: "town", root, text: "and more", user: "ben" });
  await fake.history.until(() => fake.history.said(`town/${root}`).includes("seen 2"));
  const other = fake.send({ channel: "town", text: "so what, @agent." });
  await fake.history.until(() => fake.history.said(`town/${other}`).includes("seen 1"));
  expect(fake.history.said("town")).toEqual([]);
  expect(models.seen[0]).toEqual(["[ann]: hello"]);
  expect(chat.reported).toEqual([]);
});

test("what is written below a delivered text is meant for the bot", async () => {
  await using fake = await FakeMattermost.start();
  await using chat = await start(fake, { models: echoing() });
  const target = { chatId: "town" };
  await chat.connector.deliver({ id: "d", target, text: "The report." }, new AbortController().signal);
  const [root] = fake.history.messages;
  fake.send({ channel: "town", root: root?.id ?? "", text: "why" });
  await fake.history.until(() => fake.history.said(`town/${root?.id}`).includes("Answer to [ann]: why."));
  expect(fake.history.said("town")).toEqual(["The report."]);
});

test("what was written while the connection was cut, or was not told, is read afterwards, once", async () => {
  await using fake = await FakeMattermost.start();
  await using chat = await start(fake, { models: echoing() });
  fake.send({ text: "one" });
  await fake.history.until(() => fake.history.said("dm-ann").includes("Answer to one."));
  fake.connections.cut();
  fake.send({ text: "two" });
  fake.send({ channel: "town", text: "@agent three" });
  await fake.history.until(() => fake.connections.count === 2);
  await fake.history.until(() => fake.history.said("dm-ann").includes("Answer to two."));
  await fake.history.until(() =>
    fake.history.messages.some(({ text }) => text === "Answer to [ann]: three."),
  );
  fake.connections.swallow = 1;
  fake.send({ text: "four" });
  fake.send({ text: "five" });
  await fake.history.until(() => fake.history.said("dm-ann").includes("Answer to five."));
  expect(fake.history.said("dm-ann")).toEqual(
    ["one", "two", "four", "five"].map((word) => `Answer to ${word}.`),
  );
  expect(chat.reported).toEqual([]);
});

test("a process that follows reads what was written between, and an answer of unknown fate is not there twice", async () => {
  await using fake = await FakeMattermost.start({ faults: { lose: 0.5 } });
  const first = await start(fake, { models: echoing() });
  const { store } = first;
  fake.send({ text: "one" });
  await fake.history.until(() => fake.history.said("dm-ann").includes("Answer to one."));
  await first[Symbol.asyncDispose]();
  fake.forgetPending();
  fake.send({ text: "two" });
  await using second = await start(fake, { models: echoing(), store });
  await fake.history.until(() => fake.history.said("dm-ann").includes("Answer to two."));
  expect(fake.history.said("dm-ann")).toEqual(["Answer to one.", "Answer to two."]);
  expect(second.reported).toEqual([]);
});

test("ten messages through a server with every fault are each answered once, or say so", async () => {
  const share = 0.1;
  await using fake = await FakeMattermost.start({
    faults: { drop: share, lose: share, garble: share, duplicate: share },
  });
  await using chat = await start(fake, { models: echoing() });
  const sent = Array.from({ length: times(100) }, (_, index) => ({
    place: `dm-${index % 3}`,
    answer: `word-${index}`,
  }));
  for (const { place, answer } of sent) fake.send({ channel: place, user: place, text: answer });
  await fake.history.until(() =>
    sent.every(({ place, answer }) => fake.history.said(place).some((text) => text.includes(`${answer}.`))),
  );
  expect(historyFaults(fake.history, sent)).toEqual([]);
  expect(chat.reported).toEqual([]);
});

test("a message that waits may be changed or taken back", async () => {
  await using fake = await FakeMattermost.start();
  const busy = gate();
  const models = scriptedModel([wait(busy), say("done")], [say("second")]);
  await using chat = await start(fake, { models });
  fake.send({ text: "first" });
  await fake.history.until(() => fake.history.typing.length > 0);
  const changed = fake.send({ text: "wrogn" });
  const gone = fake.send({ text: "never mind" });
  fake.edit(changed, "right");
  fake.delete(gone);
  await expect
    .poll(async () => (await chat.inbox.list({ limit: 10 })).map(({ status }) => status).toSorted())
    .toEqual(["accepted", "answered", "answered", "begun", "withdrawn"]);
  busy.open();
  await fake.history.until(() => fake.history.said("dm-ann").includes("second"));
  expect(models.seen.at(-1)?.at(-1)).toBe("right");
});

test("texts of a megabyte, of control characters, of ten thousand mentions are answered or refused in words", async () => {
  await using fake = await FakeMattermost.start();
  await using chat = await start(fake, { models: echoing() });
  const texts = ["x".repeat(1_000_000), "\u0000\u001b[31m\u0007".repeat(100), "@agent ".repeat(10_000)];
  for (const [index, text] of texts.entries()) fake.send({ channel: `dm-${index}`, text });
  await fake.history.until(() => texts.every((_, index) => fake.history.said(`dm-${index}`).length === 1));
  expect(fake.history.said("dm-0")[0]).toContain("at most 100000 are read");
  expect(chat.reported).toEqual([]);
});

test("files go both ways, and a picture reaches the model", async () => {
  await using fake = await FakeMattermost.start();
  const models = scriptedModelWith({
    otherwise: ({ messages }) => {
      const last = messages.at(-1);
      return [say(`parts ${last?.role === "user" ? last.parts.map(({ type }) => type).join() : ""}`)];
    },
  });
  await using chat = await start(fake, { models });
  fake.files.set("file-a", Buffer.from("iVBORw0KGgo=", "base64"));
  const files = [
    { id: "file-a", name: "a.png", mime_type: "image/png", size: 8 },
    { id: "file-b", name: "b.zip", mime_type: "application/zip", size: 8 },
  ];
  fake.send({ text: "look", more: { metadata: { files } } });
  await fake.history.until(() =>
    fake.history.said("dm-ann").some((text) => text.endsWith("parts text,image")),
  );
  expect(models.seen[0]?.join("\n")).toContain("The file b.zip was not taken");
  const secrets = { token: FAKE_TOKEN };
  const channel = await quick.open(
    { baseUrl: fake.url, secrets, mode: "connection", extra: {} },
    portsTo(fake.url),
  );
  const file = { name: "c.txt", mediaType: "text/plain", bytes: Buffer.from("words") };
  const place = { kind: "direct", chatId: "dm-ann" } as const;
  const signal = new AbortController().signal;
  await channel.send({ place, text: "here", source: "here", once: "once-1", file }, signal);
  const id = fake.history.messages.at(-1)?.files[0] ?? "";
  expect(Buffer.from(fake.files.get(id) ?? []).toString()).toBe("words");
  expect(chat.reported).toEqual([]);
});

test("buttons ask where the server can reach the agent, and only approvers count", async () => {
  await using fake = await FakeMattermost.start();
  const heard: ToolAnswer[] = [];
  const ask = askingTool(GRANT, heard);
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("done")]),
    account: buttonAccount(fake),
    host: { toolsets: toolsOf(ask), policy: { ...POLICY, chatApprovers: ["mattermost:ann-id"] } },
  });
  fake.send({ channel: "town", text: "@agent do it" });
  const card = () => fake.history.messages.find(({ buttons }) => buttons.length > 0);
  await fake.history.until(() => card() !== undefined);
  const press = (user: string) => {
    const { url, body } = fake.press("Allow once", user);
    const query = Object.fromEntries(url.searchParams);
    return chat.connector.webhook({ method: "POST", headers: {}, query, body });
  };
  const refused = await press("ben");
  expect(refused).toMatchObject({ status: 200, body: expect.stringMatching(/approv/i) });
  expect(heard).toEqual([]);
  const { place } = card() ?? { place: "" };
  expect(await press("ann")).toMatchObject({ status: 200, body: expect.stringContaining("Taken.") });
  await fake.history.until(() => fake.history.said(place).includes("done"));
  expect(heard).toMatchObject([{ outcome: "answered", text: "once" }]);
  expect(card()).toBeUndefined();
  expect(fake.history.said(place).some((text) => text.includes("Allowed once, by ann"))).toBe(true);
});

test("a forged button is refused, and nothing of it is read", async () => {
  await using fake = await FakeMattermost.start();
  await using chat = await start(fake, { models: counting(), account: buttonAccount(fake) });
  const before = fake.calls.length;
  const body = Buffer.from('{"user_id": "ann-id", "post_id": "post-1", "trigger_id": "t"}');
  for (let index = 0; index < times(1000); index += 1) {
    const signature = createHash("sha256").update(`guess ${index}`).digest("hex");
    const query = index % 10 === 0 ? {} : { value: "q:abc:0", signature };
    expect(await chat.connector.webhook({ method: "POST", headers: {}, query, body })).toEqual({
      status: 401,
    });
  }
  expect(fake.calls.length).toBe(before);
  expect(await chat.inbox.list({ limit: 10 })).toEqual([]);
});

test("without an address for buttons a question is numbered text", async () => {
  await using fake = await FakeMattermost.start();
  const heard: ToolAnswer[] = [];
  const ask = askingTool({ kind: "clarify", question: "Which?", choices: ["red", "blue"] }, heard);
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("done")]),
    host: { toolsets: toolsOf(ask), policy: POLICY },
  });
  fake.send({ text: "paint" });
  await fake.history.until(() => fake.history.said("dm-ann").some((text) => text.includes("2. blue")));
  fake.send({ text: "2" });
  await fake.history.until(() => fake.history.said("dm-ann").includes("done"));
  expect(heard).toMatchObject([{ outcome: "answered", text: "blue" }]);
  expect(chat.reported).toEqual([]);
});

test("an address for buttons without a secret is refused with the reason", async () => {
  await using fake = await FakeMattermost.start();
  const { extra, baseUrl } = buttonAccount(fake);
  const secrets = { token: FAKE_TOKEN };
  const opening = quick.open({ baseUrl, secrets, extra, mode: "connection" }, portsTo(fake.url));
  await expect(opening).rejects.toThrow("MATTERMOST_WEBHOOK_SECRET");
});

provePlatform({ platform: mattermost, start: (options) => FakeMattermost.start(options) });
