import { expect, test } from "vitest";
import type { ChatPlatform } from "../../src/chat/index.ts";
import { DEFAULT_POLICY } from "../../src/core/index.ts";
import { handClock } from "../kit/clock.ts";
import { callTool, say, scriptedModel } from "../kit/scripted-model.ts";
import { testTool, toolsOf } from "../kit/test-host.ts";
import { type ChatProcessOptions, startChat, startChats } from "./kit/chat-process.ts";
import { type FakePlatform, platformNamed, quick } from "./kit/fake-platform.ts";
import { FakeSlack } from "./slack/fake-slack.ts";
import { FakeTelegram } from "./telegram/fake-telegram.ts";

const named = (name: string): ChatPlatform => quick(platformNamed(name));
const policy = {
  ...DEFAULT_POLICY,
  toolsets: { chat: ["test"], api_server: ["test"] },
  chatApprovers: ["telegram:1", "slack:U1"],
};
/** The chat for approvals. */
const OFFICE = -100;
const office = String(OFFICE);

/** A chat whose one tool needs an approval; a person asks for it directly, the approvals are shown in the office. */
const start = (fake: FakeTelegram, options: Partial<ChatProcessOptions> = {}) =>
  startChat({
    platform: named("telegram"),
    account: fake.account,
    models: scriptedModel(
      [callTool("launch")],
      [say("It is launched.")],
      [callTool("launch")],
      [say("Again.")],
    ),
    settings: { allow: ["42"], approvers: ["1"], approvals: office },
    host: { toolsets: toolsOf(testTool("launch", { effect: "once" })), policy },
    ...options,
  });

const cards = ({ history }: Pick<FakePlatform, "history">) =>
  history.messages.filter(({ by, text }) => by === "bot" && text.includes("May I do this?"));

test("an approval is shown where approvers are, too, and what was decided there shows in both places", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake);
  fake.send({ chat: 42, user: 42, text: "launch it, my secret plan" });
  await fake.history.until(() => cards(fake).length === 2);
  const [own, shown] = ["42", office].map((place) => cards(fake).find((card) => card.place === place));
  expect(shown?.text).toMatch(/^Asked on Telegram by \w+ \(42\), in a direct message\./);
  expect(shown?.text).not.toContain("secret plan");
  // The newest card is pressed: that of the office, by somebody who may approve and may not talk.
  fake.press("Allow once", { user: 1, name: "Boss", chat: OFFICE });
  await fake.history.until(() => cards(fake).every(({ text }) => text.includes("Allowed once, by Boss")));
  await fake.history.until(() => fake.history.said("42").includes("It is launched."));
  expect([own?.buttons, shown?.buttons]).toEqual([[], []]);
  expect(chat.reported).toEqual([]);
});

test("what is decided elsewhere takes the buttons from both places, and a button of a stranger is nothing", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake, {
    settings: { allow: ["42", `channel:${office}`], approvers: ["1"], approvals: office },
  });
  fake.send({ chat: 42, user: 42, text: "launch it" });
  await fake.history.until(() => cards(fake).length === 2);
  fake.press("Allow once", { user: 7, name: "Boss", chat: OFFICE });
  await fake.history.until(() => fake.unconfirmed === 0 && fake.calls.includes("answerCallbackQuery"));
  expect(cards(fake).every(({ buttons }) => buttons.length > 0)).toBe(true);
  const session = await chat.host.session("telegram:42:1");
  const requestId = session.questions()[0]?.request.requestId ?? "";
  await session.answer(requestId, { choice: "deny" }, { surface: "api" });
  await fake.history.until(() => cards(fake).every(({ text }) => text.includes("Denied, from the HTTP API")));
  expect(cards(fake).flatMap(({ buttons }) => buttons)).toEqual([]);
  expect(chat.reported).toEqual([]);
});

test("what is asked in the place for approvals is shown once there", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake, {
    settings: { allow: ["*"], approvers: ["1"], approvals: office },
  });
  fake.send({ chat: OFFICE, user: 42, text: "@agent_bot launch it" });
  await fake.history.until(() => cards(fake).length > 0);
  fake.press("Deny", { user: 1, chat: OFFICE });
  await fake.history.until(() => fake.history.said(office).includes("It is launched."));
  expect(cards(fake)).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});

test("/pending lists what waits, for approvers and where nobody else reads it, and answers by a code and a number", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake, { settings: { allow: ["*"], approvers: ["1"] } });
  fake.send({ chat: 42, user: 42, text: "launch it" });
  await fake.history.until(() => cards(fake).length === 1);
  const told = async (message: Parameters<FakeTelegram["send"]>[0], found: RegExp): Promise<string> => {
    fake.send(message);
    const said = (): string | undefined =>
      fake.history.said(String(message.chat)).findLast((text) => found.test(text));
    await fake.history.until(() => said() !== undefined);
    return said() ?? "";
  };
  await told({ chat: 42, user: 42, text: "/pending" }, /^\/pending is for those who may approve here/);
  await told({ chat: -5, user: 1, text: "@agent_bot /pending" }, /to me directly: here others/);
  const list = await told({ chat: 1, user: 1, text: "/pending" }, /Asked from telegram, in telegram:42:1, /);
  const code = /\/pending ([0-9a-f]{6}) and the number/.exec(list)?.[1] ?? "";
  await told({ chat: 1, user: 1, text: `/pending ${code} 9` }, /a number from 1 to/);
  await told({ chat: 1, user: 1, text: "/pending 000000 1" }, /No approval 000000 waits/);
  await told({ chat: 1, user: 1, text: `/pending ${code} 1` }, /^Taken\.$/);
  await fake.history.until(() => fake.history.said("42").includes("It is launched."));
  await told({ chat: 1, user: 1, text: "/pending" }, /Nothing waits for an approval/);
  expect(chat.reported).toEqual([]);
});

test("what is asked in one app is shown and answered in another, by approvers of that one alone", async () => {
  await using telegram = await FakeTelegram.start();
  await using slack = await FakeSlack.start();
  await using chat = await startChats({
    platforms: [
      {
        platform: named("telegram"),
        account: telegram.account,
        settings: { approvers: ["1"], approvals: office },
      },
      {
        platform: named("slack"),
        account: slack.account,
        settings: { allow: ["U7", "channel:C9"], approvers: ["U1"], approvals: "C9" },
      },
    ],
    models: scriptedModel([callTool("launch")], [say("Launched.")], [callTool("launch")], [say("Not so.")]),
    host: { toolsets: toolsOf(testTool("launch", { effect: "once" })), policy },
  });
  telegram.send({ chat: 42, user: 42, text: "launch it, my secret plan" });
  await slack.history.until(() => cards(slack).length === 1);
  await telegram.history.until(() => cards(telegram).length === 2);
  const [shown] = cards(slack);
  expect(shown).toMatchObject({
    place: "C9",
    text: expect.stringMatching(/^Asked on Telegram by Ann \(`42`\), in a direct message\./),
  });
  expect(shown?.text).not.toContain("secret plan");
  // Neither those who may talk there nor those who approve elsewhere may approve here.
  for (const stranger of [7, 42]) slack.press("Allow once", stranger);
  await slack.history.until(() => slack.api.whispers.length === 2);
  expect(slack.api.whispers.toSorted()).toEqual(
    ["U42", "U7"].map((who) => `${who}: You are not among those who may approve here.`),
  );
  expect([shown?.buttons.length, slack.history.said("C9").length]).toEqual([4, 1]);
  slack.press("Allow once", 1);
  await telegram.history.until(() =>
    cards(telegram).every(({ text }) => /Allowed once, by .* on Slack/.test(text)),
  );
  await telegram.history.until(() => telegram.history.said("42").includes("Launched."));
  await slack.history.until(() => shown?.text.includes("— Allowed once, by ann") === true);

  slack.send({ user: 7, text: "launch it" });
  await telegram.history.until(() => cards(telegram).length === 3);
  expect(cards(telegram).at(-1)?.text).toContain("Asked on Slack by Ann (U7)");
  telegram.press("Deny", { chat: OFFICE, user: 1, name: "Boss" });
  await slack.history.until(() => slack.history.said("D7").includes("Not so."));
  await slack.history.until(() =>
    cards(slack)
      .slice(1)
      .every(({ text }) => text.includes("Denied, by Boss on Telegram")),
  );
  expect([...cards(telegram), ...cards(slack)].flatMap(({ buttons }) => buttons)).toEqual([]);
  expect(chat.reported).toEqual([]);
});

test("a card says how its question ended: by time, by a stop, or with its conversation", async () => {
  await using fake = await FakeTelegram.start();
  const clock = handClock();
  await using chat = await start(fake, {
    models: scriptedModel(...Array.from({ length: 5 }, () => [callTool("launch")])),
    host: { toolsets: toolsOf(testTool("launch", { effect: "once" })), policy, clock },
  });
  const asked = async (count: number): Promise<void> => {
    fake.send({ chat: 42, user: 42, text: "launch it" });
    await fake.history.until(() => cards(fake).length === count);
  };
  const closed = (words: string): Promise<void> =>
    fake.history.until(() =>
      cards(fake)
        .slice(-2)
        .every(({ text }) => text.includes(words)),
    );
  await asked(2);
  clock.advance(policy.questions.parkMs);
  await closed("— Nobody answered in time.");
  await fake.history.until(() => cards(fake).length === 4);
  fake.send({ chat: 42, user: 42, text: "/stop" });
  await closed("— Not answered:");
  await asked(6);
  await chat.host.delete("telegram:42:1");
  await closed("— It is over.");
  expect(cards(fake).flatMap(({ buttons }) => buttons)).toEqual([]);
});

test("a card that cannot be posted is tried again for as long as its question is open", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake);
  // All first tries of the card in the conversation, and of that in the office.
  fake.refuse = 8;
  fake.send({ chat: 42, user: 42, text: "launch it" });
  await fake.history.until(() => fake.refuse === 0 && cards(fake).some(({ place }) => place === office));
  fake.press("Allow once", { user: 1, chat: OFFICE });
  await fake.history.until(() => fake.history.said("42").includes("It is launched."));
  expect(new Set(chat.reported.map(({ code }) => code))).toEqual(new Set(["delivery_failed"]));
});

test("what is asked from elsewhere is shown, too, once, and is in the list", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake, { settings: { allow: ["1"], approvers: ["1"], approvals: office } });
  const session = await chat.host.open({ platform: "api_server" });
  const questions = { mode: "ask" } as const;
  const turn = session.submit({ text: "my secret plan", from: { surface: "api" }, questions });
  await fake.history.until(() => cards(fake).length === 1);
  const [card] = cards(fake);
  expect(card?.text).toContain(`Asked from the HTTP API, in ${session.id}.`);
  expect(card?.text).not.toContain("secret plan");
  fake.send({ chat: OFFICE, user: 1, text: "@agent_bot /pending" });
  await fake.history.until(() => fake.history.said(office).length === 2);
  fake.press("Allow once", { user: 1, name: "Boss", chat: OFFICE });
  expect((await turn.result).outcome).toBe("completed");
  await fake.history.until(() => card?.text.includes("— Allowed once, by Boss") === true);
  expect(fake.history.said(office)[1]).toContain(`Asked from the HTTP API, in ${session.id}, `);
  expect(chat.reported).toEqual([]);
});
