import { expect, test } from "vitest";
import type { Models } from "../../../src/core/index.ts";
import type { Channel, Sink } from "../../../src/chat/port/channel.ts";
import { Machine } from "../../kit/machine.ts";
import { gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { StoppedClock } from "../../kit/stopped-clock.ts";
import { type ChatProcess, startChat } from "../kit/chat-process.ts";
import { platformNamed, quick } from "../kit/fake-platform.ts";

/** A chat with hosts on machines of their own, and all that each of them lets people see, as `who: text`. */
class StoppedHosts {
  readonly machine = new Machine({ apart: true });
  readonly seen: string[] = [];
  readonly sinks: Sink[] = [];

  async start(
    who: string,
    models: Models,
  ): Promise<{ readonly clock: StoppedClock; readonly chat: ChatProcess }> {
    const clock = new StoppedClock(this.machine.clock);
    const { store } = await this.machine.start(models, { clock, report: () => undefined });
    const base = quick(platformNamed("telegram"));
    const platform = {
      ...base,
      limits: { ...base.limits, editEveryMs: 1 },
      open: () => Promise.resolve(this.#channel(who)),
    };
    const account = { baseUrl: "https://chat.example", secrets: {} };
    return { clock, chat: await startChat({ platform, account, models, clock, store, host: { clock } }) };
  }

  write(text: string): Promise<void> {
    const place = { kind: "direct", chatId: "7" } as const;
    const from = { id: "42", name: "Ada" };
    const message = { eventId: text, messageId: text, text, files: [], addressed: true };
    return this.machine.during(
      this.sinks[0]?.take([{ type: "message", place, from, ...message }]) ?? Promise.reject(new Error("off")),
    );
  }

  /** Ends it in order. */
  end(chat: ChatProcess): Promise<void> {
    return this.machine.during(Promise.resolve(chat[Symbol.asyncDispose]()));
  }

  #channel(who: string): Channel {
    const { seen, sinks } = this;
    return {
      connect: () => Promise.resolve({ id: "bot", name: "Bot" }),
      async receive(sink, signal) {
        sinks.push(sink);
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        sinks.splice(sinks.indexOf(sink), 1);
      },
      send: ({ text }) => Promise.resolve(String(seen.push(`${who}: ${text}`))),
      edit: ({ text }) => Promise.resolve(void seen.push(`${who}: ${text}`)),
    };
  }
}

test("a host that was stopped in the middle of an answer, and goes on when another one has given it, shows nothing more of it", async () => {
  const hosts = new StoppedHosts();
  const { machine, seen } = hosts;
  const [more, never] = [gate(), gate()];
  const slow = scriptedModel([say("first words"), wait(more), say(" and more"), wait(never)]);
  const first = await hosts.start("one", slow);
  await machine.pass(5000, () => hosts.sinks.length === 1);
  const second = await hosts.start("two", scriptedModel([say("the whole answer")]));
  await hosts.write("hello");
  await machine.pass(5000, () => seen.length === 1);
  // What came after the first words is to be shown at the next tick of its clock.
  first.clock.stop();
  more.open();
  await machine.pass(60_000, () => seen.includes("two: the whole answer"));
  await machine.pass(1500);
  const before = [...seen];
  await first.clock.goOn();
  await machine.pass(20_000);
  expect(seen).toEqual(before);
  expect(seen.filter((text) => text.startsWith("one: "))).toEqual(["one: first words"]);
  expect(first.chat.states.at(-1)).toBe("standby");
  await hosts.end(first.chat);
  await hosts.end(second.chat);
});

test("a message that another host answered while its first one was stopped stays answered, and is asked nobody again", async () => {
  const hosts = new StoppedHosts();
  const { machine, seen } = hosts;
  const more = gate();
  const first = await hosts.start("one", scriptedModel([wait(more), say("late words")]));
  await machine.pass(5000, () => hosts.sinks.length === 1);
  const models = scriptedModel([say("the whole answer")]);
  const second = await hosts.start("two", models);
  await hosts.write("hello");
  await machine.during(more.reached);
  first.clock.stop();
  await machine.pass(60_000, () => seen.length > 0);
  await machine.pass(1500);
  // What the model said meanwhile is there before any timer.
  more.open();
  await first.clock.goOn();
  await machine.pass(5000);
  await hosts.end(first.chat);
  await machine.pass(20_000);
  expect(seen).toEqual(["two: the whole answer"]);
  expect(models.requests).toHaveLength(1);
  expect(await second.chat.inbox.list({ limit: 9 })).toMatchObject([{ status: "answered", run: 2 }]);
  await hosts.end(second.chat);
});
