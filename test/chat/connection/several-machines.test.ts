import { expect, test } from "vitest";
import type { Channel, Sink } from "../../../src/chat/port/channel.ts";
import type { IncomingMessage } from "../../../src/chat/port/incoming.ts";
import type { ChatPlatform } from "../../../src/chat/index.ts";
import type { Models } from "../../../src/core/index.ts";
import { Machine, type TestProcess } from "../../kit/machine.ts";
import { gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { type ChatProcess, startChat } from "../kit/chat-process.ts";
import { platformNamed, quick } from "../kit/fake-platform.ts";

/** A platform that people write on, with a connection that one host at a time may have. */
class OneConnection {
  /** Who is connected, in the order of their connections; each host has its own platform. */
  readonly connected: { readonly who: string; readonly sink: Sink }[] = [];
  /** What was posted, as `who: text`. */
  readonly posted: string[] = [];
  #events = 0;

  platform(who: string): ChatPlatform {
    const base = quick(platformNamed("telegram"));
    return {
      ...base,
      capabilities: { ...base.capabilities, buttons: false },
      open: () => Promise.resolve(this.#channel(who)),
    };
  }

  message(text: string): IncomingMessage {
    this.#events += 1;
    const id = `e${this.#events}`;
    return {
      type: "message",
      eventId: id,
      messageId: id,
      place: { kind: "direct", chatId: "7" },
      from: { id: "42", name: "Ada" },
      text,
      files: [],
      addressed: true,
    };
  }

  #channel(who: string): Channel {
    const { connected, posted } = this;
    return {
      connect: () => Promise.resolve({ id: "bot", name: "Bot" }),
      async receive(sink, signal) {
        const connection = { who, sink };
        connected.push(connection);
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        connected.splice(connected.indexOf(connection), 1);
      },
      webhook: async ({ body }, sink) => {
        const said = new TextDecoder().decode(body);
        const [, messageId] = /^undelivered (.*)$/.exec(said) ?? [];
        if (messageId === undefined) await sink.take([this.message(said)]);
        else await sink.undelivered({ messageId, reason: "no" });
        return { status: 200 };
      },
      send({ text }) {
        posted.push(`${who}: ${text}`);
        return Promise.resolve(String(posted.length));
      },
      edit: () => Promise.resolve(),
    };
  }
}

interface Place {
  readonly machine: Machine;
  /** The model of its hosts; one that answers at once by default. */
  readonly models?: Models;
  readonly world: OneConnection;
}

async function chatOn(
  { machine, world, models: given }: Place,
  who: string,
  mode: "connection" | "webhook" = "connection",
): Promise<{ readonly process: TestProcess; readonly chat: ChatProcess }> {
  const models = given ?? scriptedModelWith({ otherwise: () => [say(`answered at ${who}`)] });
  const process = await machine.start(models);
  const { store } = process;
  const { clock } = machine;
  const chat = await startChat({
    platform: world.platform(who),
    account: { baseUrl: "https://chat.example", secrets: {}, mode },
    models,
    clock,
    store,
    host: { clock },
  });
  return { process, chat };
}

/** The platform posts something to a host. */
const post = ({ connector }: ChatProcess, text: string) =>
  connector.webhook({ method: "POST", headers: {}, query: {}, body: new TextEncoder().encode(text) });

test("of three machines one is connected; when it dies another one is within 20 seconds, and answers what was left", async () => {
  const place: Place = { machine: new Machine({ apart: true }), world: new OneConnection() };
  const { machine, world } = place;
  const first = await chatOn(place, "one");
  await machine.pass(5000, () => world.connected.length > 0);
  const others = [await chatOn(place, "two"), await chatOn(place, "three")];
  await machine.pass(5000);
  expect(world.connected.map(({ who }) => who)).toEqual(["one"]);

  await world.connected[0]?.sink.take([world.message("hello")]);
  await machine.pass(5000, () => world.posted.length > 0);
  expect(world.posted).toEqual(["one: answered at one"]);

  // It took this one, and died before it could do anything about it.
  const taken = world.connected[0]?.sink.take([world.message("are you there?")]);
  await taken;
  first.process.die();
  const died = machine.clock.monotonic();
  await machine.pass(30_000, () => world.connected.some(({ who }) => who !== "one"));
  expect(machine.clock.monotonic() - died).toBeLessThanOrEqual(20_000);
  await machine.pass(20_000, () => world.posted.length > 1);
  // The one that was cut off has let go by itself, before another one began.
  expect(world.connected.map(({ who }) => who)).toHaveLength(1);
  const [{ who } = { who: "" }] = world.connected;
  expect(world.posted.slice(1)).toEqual([`${who}: answered at ${who}`]);

  // One that is stopped as it should be is followed at once.
  const [leaving] = who === "two" ? others : others.toReversed();
  leaving?.chat.connector.drain();
  await machine.pass(3000, () => world.connected.some((each) => each.who !== who));
  expect(world.connected.map((each) => each.who)).toEqual([who === "two" ? "three" : "two"]);
  for (const each of others) await machine.during(Promise.resolve(each.chat[Symbol.asyncDispose]()));
});

test("a message that the platform posts to a machine that is not connected is answered by the one that is, in its order", async () => {
  const place: Place = { machine: new Machine({ apart: true }), world: new OneConnection() };
  const { machine, world } = place;
  const first = await chatOn(place, "one", "webhook");
  await machine.pass(3000, () => first.chat.states.includes("connected"));
  const second = await chatOn(place, "two", "webhook");
  await machine.pass(3000);
  expect(second.chat.states).toEqual(["standby"]);
  expect(await post(second.chat, "one")).toEqual({ status: 200 });
  expect(await post(first.chat, "two")).toEqual({ status: 200 });
  await machine.pass(10_000, () => world.posted.length >= 2);
  expect(world.posted).toEqual(["one: answered at one", "one: answered at one"]);
  // Who leaves lets go of its own work alone.
  await machine.during(Promise.resolve(second.chat[Symbol.asyncDispose]()));
  const kept = await first.chat.inbox.list({ limit: 10 });
  expect(kept.map(({ status }) => status)).toEqual(["answered", "answered"]);
  await machine.during(Promise.resolve(first.chat[Symbol.asyncDispose]()));
});

test("what a machine that is not connected hears of an answer does not take it from the one that gives it", async () => {
  const place: Place = { machine: new Machine({ apart: true }), world: new OneConnection() };
  const { machine, world } = place;
  const never = gate();
  const first = await chatOn(
    { ...place, models: scriptedModel([say("half"), wait(never)]) },
    "one",
    "webhook",
  );
  await machine.pass(3000, () => first.chat.states.includes("connected"));
  const second = await chatOn(place, "two", "webhook");
  await machine.during(post(first.chat, "hello"));
  await machine.pass(10_000, () => world.posted.length > 0);
  await machine.during(post(second.chat, "undelivered 1"));
  expect(second.chat.reported).toHaveLength(1);
  first.process.die();
  await machine.pass(60_000);
  // The other one has gone on with it, in the message that is there.
  expect(await second.chat.inbox.list({ limit: 9 })).toMatchObject([{ status: "answered", run: 2 }]);
  await machine.during(Promise.resolve(second.chat[Symbol.asyncDispose]()));
});
