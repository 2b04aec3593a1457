import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import type { Channel } from "../../../src/chat/port/channel.ts";
import { SendBudget } from "../../../src/chat/sending/budget.ts";
import { LiveAnswer } from "../../../src/chat/sending/live-answer.ts";
import { MessageSender } from "../../../src/chat/sending/message-sender.ts";
import { quick } from "../kit/fake-platform.ts";
import { hurriedClock as clock } from "../kit/hurried-clock.ts";

test("a message is changed as often as its platform allows, and its last change is the whole answer", async () => {
  const [any] = CHAT_PLATFORMS.map(quick);
  if (any === undefined) throw new Error("There is no platform.");
  const platform = { ...any, limits: { ...any.limits, mostEdits: 3, readsMarkdown: true } };
  const texts: string[] = [];
  let signs = 0;
  let changed: () => void = () => undefined;
  const channel: Channel = {
    connect: () => Promise.resolve({ id: "bot", name: "bot" }),
    send: ({ source }) => (texts.push(source), changed(), Promise.resolve("message")),
    typing: () => ((signs += 1), changed(), Promise.resolve()),
    edit: ({ source }) => (texts.push(source), changed(), Promise.resolve()),
  };
  const parts = { platform, channel, clock, budget: new SendBudget({ clock, limits: platform.limits }) };
  await using answer = new LiveAnswer({
    ...parts,
    sender: new MessageSender(parts),
    place: { kind: "direct", chatId: "1" },
    before: [],
    onceOf: String,
    note: () => Promise.resolve(),
    signal: new AbortController().signal,
  });
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      changed = () => holds() && resolve();
      changed();
    });
  for (const text of ["a", "a b", "a b c"]) {
    answer.show(text);
    await until(() => texts.includes(text));
  }
  const before = signs;
  answer.show("a b c d");
  // It looks for something to show before each of these.
  await until(() => signs >= before + 2 || texts.length > 3);
  await answer.finish("a b c d e f");
  expect(texts).toEqual(["a", "a b", "a b c", "a b c d e f"]);
});
