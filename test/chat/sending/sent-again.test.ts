import { expect, test } from "vitest";
import type { Channel } from "../../../src/chat/port/channel.ts";
import { SendBudget } from "../../../src/chat/sending/budget.ts";
import { sendDelivery } from "../../../src/chat/sending/delivery-sender.ts";
import { MARKS, MessageSender } from "../../../src/chat/sending/message-sender.ts";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { handClock } from "../../kit/clock.ts";

const SAME_MS = 60_000;

/** A platform that takes a message once for a minute, and what was sent to it. */
function forgetful() {
  const [any] = CHAT_PLATFORMS;
  if (any === undefined) throw new Error("There is no platform.");
  const platform = {
    ...any,
    capabilities: { ...any.capabilities, resend: "same" as const },
    limits: { ...any.limits, sameMs: SAME_MS },
  };
  const clock = handClock();
  const texts: string[] = [];
  const again: unknown[] = [];
  const channel: Channel = {
    connect: () => Promise.resolve({ id: "bot", name: "bot" }),
    send: (message) => {
      again.push(message.again);
      return Promise.resolve(`message-${texts.push(message.text)}`);
    },
  };
  const parts = { platform, channel, clock, budget: new SendBudget({ clock, limits: platform.limits }) };
  return { parts, clock, texts, again };
}

test("a message of an earlier process is marked once the platform may have forgotten its id", async () => {
  const { parts, clock, texts, again } = forgetful();
  const place = { kind: "direct", chatId: "1" } as const;
  const draft = { place, text: "hi", plain: "hi", source: "hi", once: "o" };
  const before = { once: "o", begun: true, at: clock.now() } as const;
  const send = () =>
    new MessageSender(parts).send(
      draft,
      { before, note: () => Promise.resolve() },
      new AbortController().signal,
    );
  clock.advance(SAME_MS);
  await send();
  clock.advance(1);
  expect((await send()).mark).toBe("restart");
  expect(texts).toEqual(["hi", `${MARKS.restart}\n\nhi`]);
  expect(again).toEqual([true, true]);
});

test("a delivery that may have arrived is marked once the platform may have forgotten its id", async () => {
  const { parts, clock, texts, again } = forgetful();
  const delivery = { id: "d", target: { chatId: "1" }, text: "hi", createdAt: clock.now(), uncertain: true };
  clock.advance(SAME_MS);
  await sendDelivery(parts, delivery, new AbortController().signal);
  clock.advance(1);
  await sendDelivery(parts, delivery, new AbortController().signal);
  expect(texts).toEqual(["hi", `${MARKS.fault}\n\nhi`]);
  expect(again).toEqual([true, true]);
});

test("what is sent for the first time does not say that it may be there", async () => {
  const { parts, clock, again } = forgetful();
  const delivery = { id: "d", target: { chatId: "1" }, text: "hi" };
  // A budget begins empty.
  clock.advance(SAME_MS);
  await sendDelivery(parts, delivery, new AbortController().signal);
  expect(again).toEqual([undefined]);
});
