import { expect, test } from "vitest";
import type { Channel } from "../../../src/chat/port/channel.ts";
import { Machine } from "../../kit/machine.ts";
import { gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { startChat } from "../kit/chat-process.ts";
import { platformNamed, quick } from "../kit/fake-platform.ts";

test("what goes out again after a crash is there before its prompt is asked again, and becomes its answer", async () => {
  const never = gate();
  const models = scriptedModel([say("first words"), wait(never)], [say("the whole answer")]);
  const machine = new Machine({ apart: true });
  const { clock } = machine;
  const shown: string[] = [];
  let sends = 0;
  const slow = gate();
  const start = async (post: (id: string) => Promise<string>, receive: Channel["receive"]) => {
    const process = await machine.start(models);
    const channel: Channel = {
      connect: () => Promise.resolve({ id: "bot", name: "Bot" }),
      ...(receive && { receive }),
      send: ({ text }) => {
        sends += 1;
        return post(String(shown.push(text) - 1));
      },
      edit: ({ messageId, text }) => Promise.resolve(void (shown[Number(messageId)] = text)),
    };
    const platform = { ...quick(platformNamed("telegram")), open: () => Promise.resolve(channel) };
    const account = { baseUrl: "https://chat.example", secrets: {} };
    return {
      process,
      chat: await startChat({ platform, account, models, clock, store: process.store, host: { clock } }),
    };
  };
  const hold = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  // It dies after its message was posted and before it hears so.
  const first = await start(
    () => new Promise<string>(() => undefined),
    async (sink, signal) => {
      const place = { kind: "direct", chatId: "7" } as const;
      const from = { id: "42", name: "Ada" };
      const message = { eventId: "1", messageId: "1", text: "hello", files: [], addressed: true };
      await sink.take([{ type: "message", place, from, ...message }]);
      await hold(signal);
    },
  );
  await machine.pass(5000, () => shown.length > 0);
  first.process.die();

  const second = await start(
    async (id) => {
      await slow.opened;
      return id;
    },
    (_sink, signal) => hold(signal),
  );
  await machine.pass(60_000, () => sends === 2);
  // The platform is in no hurry.
  await machine.pass(20_000);
  expect(sends).toBe(2);
  slow.open();
  await machine.pass(20_000, () => shown.some((text) => text.endsWith("the whole answer")));
  expect(shown).toEqual(["first words", "(sent again after a restart)\n\nthe whole answer"]);
  const [entry] = await second.chat.inbox.list({ limit: 9 });
  expect(entry).toMatchObject({ status: "answered", run: 2 });
  await machine.during(Promise.resolve(second.chat[Symbol.asyncDispose]()));
});
