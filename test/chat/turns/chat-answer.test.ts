import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import type { InboxEntry } from "../../../src/chat/inbox/entry.ts";
import type { Channel } from "../../../src/chat/port/channel.ts";
import { SendBudget } from "../../../src/chat/sending/budget.ts";
import { MessageSender } from "../../../src/chat/sending/message-sender.ts";
import { ChatAnswer } from "../../../src/chat/turns/chat-answer.ts";
import type { ChatParts, LateText } from "../../../src/chat/turns/chat-parts.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { random } from "../../kit/counts.ts";
import { quick } from "../kit/fake-platform.ts";
import { hurriedClock } from "../kit/hurried-clock.ts";

/** A message that is answered by one process after the other, and what a person and the outbox get of it. */
function answered() {
  const [platform] = CHAT_PLATFORMS.map(quick);
  if (platform === undefined) throw new Error("There is no platform.");
  let entry: InboxEntry = {
    id: "telegram-1",
    platform: "telegram",
    event: {
      type: "message",
      eventId: "1",
      place: { kind: "direct", chatId: "1" },
      from: { id: "1", name: "Ann" },
      messageId: "1",
      text: "hi",
      files: [],
      addressed: true,
    },
    acceptedAt: 0,
    status: "begun",
    run: 1,
  };
  const seen: string[] = [];
  const late: LateText[] = [];
  let fails = false;
  let held = false;
  let closed = false;
  let lost = 0;
  const channel: Channel = {
    connect: () => Promise.resolve({ id: "bot", name: "bot" }),
    send({ text, file }) {
      if (fails) return Promise.reject(new HostError("delivery_failed", "not now"));
      return Promise.resolve(`m${seen.push(file === undefined ? text : `[${file.name}] ${text}`.trim())}`);
    },
    edit: () =>
      closed ? Promise.reject(new HostError("invalid_params", "too old to be changed")) : Promise.resolve(),
  };
  const clock = hurriedClock;
  const sending = { platform, channel, clock, budget: new SendBudget({ clock, limits: platform.limits }) };
  const store = { getBlob: () => Promise.resolve(new Uint8Array([1])) };
  // The parts that answers use.
  const parts = {
    ...sending,
    sender: new MessageSender(sending),
    host: { services: { store, random: random(1) } },
    report: () => undefined,
    sendLater(text: LateText) {
      // As the outbox does: what is there already under the id stays.
      if (late.every(({ id }) => id !== text.id)) late.push(text);
      lost -= 1;
      return lost < 0 ? Promise.resolve() : Promise.reject(new HostError("store_unavailable", "away"));
    },
    isHeldUp: () => Promise.resolve(held),
  } as unknown as ChatParts;
  const open = (): ChatAnswer =>
    new ChatAnswer({
      parts,
      entry: () => entry,
      note: (change) => Promise.resolve(void (entry = { ...entry, ...change(entry) })),
      signal: new AbortController().signal,
    });
  return {
    open,
    seen,
    late,
    fail: (now: boolean) => (fails = now),
    /** What is there can be changed no more. */
    close: () => (closed = true),
    hold: (now: boolean) => (held = now),
    /** The next answers of the outbox do not arrive. */
    lose: (answers: number) => (lost = answers),
    entry: () => entry,
  };
}

const FILE = { blob: { hash: "h", size: 1 }, name: "a.txt", mediaType: "text/plain" };

test("what an earlier process gave to the outbox is sent by nobody else", async () => {
  const { open, seen, late, fail, entry } = answered();
  fail(true);
  {
    await using first = open();
    first.show("Look:");
    first.hand("call-1", [FILE]);
    await first.finish("Look:");
  }
  expect(late.map(({ id, text, file }) => [id, text, file?.name])).toEqual([
    ["telegram-1:1", "Look:", undefined],
    ["telegram-1:1:file:call-1:0", "", "a.txt"],
  ]);
  fail(false);
  await using second = open();
  second.show("Look:");
  second.hand("call-1", [FILE]);
  await second.finish("Look:\n\nThere.");
  expect(seen).toEqual(["There."]);
  expect(late).toHaveLength(2);
  expect(entry().late).toHaveLength(2);
});

test("an answer that is done again by another process is the same messages", async () => {
  const { open, seen, entry } = answered();
  for (let process = 0; process < 2; process += 1) {
    await using answer = open();
    answer.show("One");
    answer.hand("call-1", [FILE, { ...FILE, name: "b.txt" }]);
    answer.show("One\n\nTwo");
    await answer.finish("One\n\nTwo.");
  }
  expect(seen).toEqual(["One", "[a.txt]", "[b.txt]", expect.stringMatching(/^Two/)]);
  expect(entry().parts?.map(({ file, section }) => [file, section])).toEqual([
    [undefined, undefined],
    [true, undefined],
    [true, undefined],
    [undefined, 1],
  ]);
});

test("what is said while an earlier answer is on its way by the outbox goes behind it, its files too", async () => {
  const { open, seen, late, hold } = answered();
  hold(true);
  {
    await using answer = open();
    answer.show("Look:");
    answer.hand("call-1", [FILE]);
    expect(await answer.finish("Look:\n\nThere.")).toBeUndefined();
  }
  expect(seen).toEqual([]);
  expect(
    late.map(({ text, file, partsSent, uncertain }) => [text, file?.name, partsSent, uncertain]),
  ).toEqual([
    ["Look:", undefined, 0, false],
    ["", "a.txt", 0, false],
    ["There.", undefined, 0, false],
  ]);
});

test("what was shown already is said to its end where it stands", async () => {
  const { open, seen, late, hold } = answered();
  await using answer = open();
  answer.show("One");
  await expect.poll(() => seen).toEqual(["One"]);
  hold(true);
  await answer.finish("One and a half");
  expect(late).toEqual([]);
});

test("what the outbox has taken, but could not say so, is in it once", async () => {
  const { open, seen, late, hold, lose, entry } = answered();
  hold(true);
  lose(2);
  await using answer = open();
  await answer.finish("One.");
  expect(seen).toEqual([]);
  expect(late.map(({ text }) => text)).toEqual(["One."]);
  expect(entry().late).toEqual(["telegram-1:1"]);
});

test("an answer whose end is refused as a change is said again whole, marked, as another message", async () => {
  const { open, seen, late, close, entry } = answered();
  {
    await using answer = open();
    answer.show("One");
    await expect.poll(() => seen).toEqual(["One"]);
    close();
    expect(await answer.finish("One and a half")).toBe("too old to be changed");
  }
  const again = { id: "telegram-1:1:again", text: "(sent again after a fault)\n\nOne and a half" };
  expect(late).toMatchObject([{ ...again, partsSent: 0, uncertain: false }]);
  await using second = open();
  await second.finish("One and a half");
  expect(seen).toEqual(["One"]);
  expect(late).toHaveLength(1);
  expect(entry().late).toEqual(["telegram-1:1"]);
});

test("of an answer in several messages only those are said again that stand below the one that is refused", async () => {
  const { open, seen, late, close } = answered();
  const [first, second] = ["a".repeat(4000), "b".repeat(300)];
  await using answer = open();
  answer.show(`${first}\n\n${second}`);
  await expect.poll(() => seen).toEqual([first, second]);
  close();
  await answer.finish(`${first}\n\n${second} and c`);
  expect(late.map(({ text }) => text)).toEqual([`(sent again after a fault)\n\n${second} and c`]);
});
