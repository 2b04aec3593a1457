import { hurriedClock } from "../kit/hurried-clock.ts";
import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { NAME_PATIENCE_MS } from "../../../src/chat/slack/people.ts";
import { DEFAULT_POLICY, promptText } from "../../../src/core/index.ts";
import { type Clock, systemClock } from "../../../src/shared/async/clock.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { times } from "../../kit/counts.ts";
import {
  callTool,
  gate,
  say,
  scriptedModel,
  scriptedModelWith,
  type ScriptedModelOptions,
  wait,
} from "../../kit/scripted-model.ts";
import { smallPng } from "../../kit/small-png.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { type ChatProcessOptions, startChat } from "../kit/chat-process.ts";
import { hasAnswer, historyFaults } from "../kit/check-history.ts";
import { provePlatform } from "../kit/prove-platform.ts";
import { FakeSlack } from "./fake-slack.ts";

const [slack] = CHAT_PLATFORMS.filter(({ name }) => name === "slack");
if (slack === undefined) throw new Error("There is no Slack.");
const rate = { burst: 1000, perSecond: 10_000 };
/** As fast as the fake is. */
const quick = {
  ...slack,
  limits: { ...slack.limits, direct: rate, channel: rate, bot: rate, editEveryMs: 5, typingMs: 50 },
};
const isLimit = (ms: number): boolean => ms === NAME_PATIENCE_MS || ms > 20_000;
/** Waits between tries are short; limits of time are not. */
const hurried: Clock = {
  ...systemClock,
  after: (ms, run) => systemClock.after(isLimit(ms) ? ms : ms / 100, run),
};

const start = (fake: FakeSlack, options: Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">) =>
  startChat({ platform: quick, account: fake.account, clock: hurried, ...options });

const echoing: ScriptedModelOptions = {
  otherwise: ({ messages }) => {
    const last = messages.at(-1);
    return [say(`Answer to ${last?.role === "user" ? promptText(last.parts).slice(0, 200) : ""}.`)];
  },
};
const echo = () => scriptedModelWith(echoing);

test("a direct message is answered, and its envelope is acknowledged after that it was accepted", async () => {
  await using fake = await FakeSlack.start();
  await using chat = await start(fake, { models: scriptedModel([say("Hello **Ann** & <all>.")]) });
  fake.send({ text: "hi &amp; bye" });
  await fake.history.until(() => fake.history.said("D1").includes("Hello *Ann* & <all>."));
  await fake.history.until(() => fake.unconfirmed === 0);
  const [entry] = await chat.inbox.list({ limit: 10 });
  expect(entry?.event).toMatchObject({ text: "hi & bye", from: { id: "U1", name: "Ann" } });
  expect(chat.reported).toEqual([]);
});

test("an answer shows while it is written, and grows in one message", async () => {
  await using fake = await FakeSlack.start();
  const middle = gate();
  await using chat = await start(fake, {
    models: scriptedModel([say("First words"), wait(middle), say(", then the rest.")]),
  });
  fake.send({ text: "<@UBOT> tell me", channel: "C1" });
  const place = fake.history.messages[0]?.place ?? "";
  await fake.history.until(() => fake.history.said(place).includes("First words"));
  middle.open();
  await fake.history.until(() => fake.history.said(place).includes("First words, then the rest."));
  expect(fake.history.said(place)).toHaveLength(1);
  expect(fake.history.typing).toContain("C1");
  expect(chat.reported).toEqual([]);
});

test("in a channel a mention begins a thread, in which all is answered; nothing else is", async () => {
  await using fake = await FakeSlack.start();
  const models = scriptedModelWith({
    otherwise: ({ messages }) => [say(`seen ${messages.filter(({ role }) => role === "user").length}`)],
  });
  await using chat = await start(fake, { models });
  fake.send({ channel: "C1", text: "not for you" });
  const ts = fake.send({ channel: "C1", text: "<@UBOT> hello <@U2> in <#C2|news>" });
  // The same message comes as a mention too.
  fake.event({ type: "app_mention", user: "U1", text: "<@UBOT> hello", ts, channel: "C1" });
  await fake.history.until(() => fake.history.said(`C1/${ts}`).includes("seen 1"));
  fake.send({ channel: "C1", thread: ts, text: "and more" });
  await fake.history.until(() => fake.history.said(`C1/${ts}`).includes("seen 2"));
  expect(models.seen[0]).toEqual(["[Ann]: hello @U2 in #news"]);
  const said = fake.history.messages.filter(({ by }) => by === "bot");
  expect(said.map(({ place }) => place)).toEqual([`C1/${ts}`, `C1/${ts}`]);
  expect(chat.reported).toEqual([]);
});

test("a button answers a question, and only approvers approve", async () => {
  await using fake = await FakeSlack.start();
  const heard: { readonly outcome: string }[] = [];
  const tool = askingTool(
    {
      kind: "grant",
      command: "rm -r build",
      description: "removes a folder",
      patterns: [],
      reasons: [],
      allowPermanent: false,
    },
    heard as never[],
  );
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("Done.")]),
    host: {
      toolsets: toolsOf(tool),
      policy: () => ({ ...DEFAULT_POLICY, toolsets: { chat: ["test"] }, chatApprovers: ["slack:U9"] }),
    },
  });
  fake.send({ channel: "C1", text: "<@UBOT> clean up" });
  const place = fake.history.messages[0]?.place ?? "";
  const asked = () => fake.history.messages.find(({ buttons }) => buttons.length > 0);
  await fake.history.until(() => asked() !== undefined);
  fake.press("Allow once", 2);
  await fake.history.until(() => fake.api.whispers.length === 1);
  expect(fake.api.whispers).toEqual(["U2: You are not among those who may approve here."]);
  expect(heard).toEqual([]);
  const card = asked();
  fake.press("Allow once", 9);
  await fake.history.until(() => fake.history.said(place).includes("Done."));
  expect(heard).toMatchObject([{ outcome: "answered" }]);
  await fake.history.until(() => card?.buttons.length === 0);
  expect(card?.text).toContain("Allowed once, by ann");
  expect(chat.reported).toEqual([]);
});

test("pictures reach the model, and other hosts never see the token", async () => {
  await using fake = await FakeSlack.start();
  const png = smallPng();
  fake.api.files.set("F1", png);
  const seen: unknown[] = [];
  const models = scriptedModelWith({
    otherwise: ({ messages }) => {
      seen.push(messages.at(-1));
      return [say("I see.")];
    },
  });
  await using chat = await start(fake, { models });
  const file = (id: string, url: string) => ({
    id,
    name: `${id}.png`,
    mimetype: "image/png",
    size: 70,
    url_private: url,
  });
  const files = [file("F1", `${fake.url}/files/F1`), file("F2", "https://files.slack.com.evil.test/F2")];
  fake.send({ text: "look", more: { subtype: "file_share", files } });
  await fake.history.until(() => fake.history.said("D1").some((text) => text.endsWith("I see.")));
  expect(seen).toHaveLength(1);
  expect(JSON.stringify(seen)).toContain("image/png");
  expect(JSON.stringify(seen)).toContain(
    "F2.png was not taken: slack: files.slack.com.evil.test is no host of Slack.",
  );
  expect(chat.reported).toEqual([]);
});

test("messages through a platform with every fault are each answered once, or say so", async () => {
  const share = 0.1;
  await using fake = await FakeSlack.start({
    faults: { drop: share, lose: share, garble: share, limit: share, duplicate: share, reorder: share },
  });
  await using chat = await start(fake, { models: echo() });
  const sent = Array.from({ length: times(200) }, (_, index) => ({
    place: `D${1 + (index % 3)}`,
    answer: `word-${index}`,
  }));
  for (const { place, answer } of sent)
    fake.send({ channel: place, user: Number(place.slice(1)), text: answer });
  await fake.history.until(() =>
    sent.every(({ place, answer }) => fake.history.said(place).some((text) => hasAnswer(text, answer))),
  );
  await fake.history.until(() => fake.unconfirmed === 0);
  expect(historyFaults(fake.history, sent)).toEqual([]);
  // Slack can be asked: nothing is marked.
  expect(fake.history.messages.filter(({ text }) => text.startsWith("(sent again"))).toEqual([]);
  expect(chat.reported).toEqual([]);
});

test("a connection that is cut, or that Slack wants anew, is made again, and nothing is lost", async () => {
  await using fake = await FakeSlack.start();
  const clock = { ...hurried, monotonic: () => hurriedClock.monotonic() };
  await using chat = await start(fake, { models: echo(), clock });
  fake.send({ text: "one" });
  await fake.history.until(() => fake.history.said("D1").includes("Answer to one."));
  fake.cut();
  fake.send({ text: "two" });
  await fake.history.until(() => fake.history.said("D1").includes("Answer to two."));
  expect(fake.connections).toBe(2);
  const losses = chat.states.filter((state) => state === "retrying").length;
  // One that Slack wants anew sooner would be lost. The clock is not set on: a host that stood still has lost its role.
  const began = clock.monotonic();
  await expect.poll(() => clock.monotonic() - began).toBeGreaterThan(10_000);
  fake.refresh("warning");
  fake.send({ text: "three" });
  await fake.history.until(
    () => fake.connections === 3 && fake.history.said("D1").includes("Answer to three."),
  );
  // The new connection is there before the old one goes.
  expect(chat.states.filter((state) => state === "retrying")).toHaveLength(losses);
  await fake.history.until(() => fake.unconfirmed === 0);
  expect(fake.history.said("D1")).toHaveLength(3);
  expect(chat.reported).toEqual([]);
});

test("a message of a megabyte, of control characters, of ten thousand mentions gets words", async () => {
  await using fake = await FakeSlack.start();
  await using chat = await start(fake, { models: echo() });
  const hard = [
    "a".repeat(1_000_000),
    "\u0000\u0007\u001b[31m",
    "<@U5> ".repeat(10_000),
    "<".repeat(100_000),
  ];
  for (const [index, text] of hard.entries()) {
    fake.send({ text, user: index + 1 });
    await fake.history.until(() => fake.history.said(`D${index + 1}`).length > 0);
  }
  expect(fake.history.said("D1")[0]).toContain("Send it in parts");
  expect(fake.history.said("D3")[0]).toContain("Answer to @U5 @U5");
  expect(chat.reported).toEqual([]);
});

test("a command of Slack's own is the host's", async () => {
  await using fake = await FakeSlack.start();
  await using chat = await start(fake, { models: echo() });
  fake.command("/agent", "new");
  await fake.history.until(() => fake.history.said("D1").includes("A new conversation begins."));
  expect(chat.reported).toEqual([]);
});

test("changes of a message that waits count", async () => {
  await using fake = await FakeSlack.start();
  const first = gate();
  await using chat = await start(fake, {
    models: scriptedModelWith(echoing, [wait(first), say("First.")]),
  });
  fake.send({ text: "begin" });
  await first.reached;
  const ts = fake.send({ text: "wrong" });
  const gone = fake.send({ text: "gone" });
  const base = { type: "message", channel: "D1", channel_type: "im" };
  fake.event({
    ...base,
    subtype: "message_changed",
    ts: "9.1",
    message: { ts, user: "U1", text: "right" },
    previous_message: { ts, user: "U1", text: "wrong" },
  });
  fake.event({
    ...base,
    subtype: "message_deleted",
    ts: "9.2",
    deleted_ts: gone,
    previous_message: { ts: gone, user: "U1", text: "gone" },
  });
  await fake.history.until(() => fake.unconfirmed === 0);
  await expect
    .poll(async () => (await chat.inbox.list({ limit: 10 })).map(({ status }) => status))
    .toContain("withdrawn");
  first.open();
  await fake.history.until(() => fake.history.said("D1").includes("Answer to right."));
  expect(fake.history.said("D1")).toEqual(["First.", "Answer to right."]);
  expect(chat.reported).toEqual([]);
});

provePlatform({
  platform: slack,
  start: (options) => FakeSlack.start(options),
  often: true,
  redelivers: true,
});
