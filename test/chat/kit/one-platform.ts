import type { Models, Records } from "../../../src/core/index.ts";
import type { ChatPlatform } from "../../../src/chat/index.ts";
import type { Sink } from "../../../src/chat/port/channel.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { Machine } from "../../kit/machine.ts";
import { type ChatProcess, startChat } from "./chat-process.ts";
import { platformNamed, quick } from "./fake-platform.ts";

/** A platform on which one person writes directly, by hand. */
class OnePlatform {
  /** Who is connected. */
  readonly sinks: Sink[] = [];
  readonly posted: string[] = [];

  /** The person writes; durable when it resolves. */
  async write(text: string): Promise<void> {
    await this.sinks[0]?.take([
      {
        type: "message",
        eventId: text,
        messageId: text,
        place: { kind: "direct", chatId: "7" },
        from: { id: "42", name: "Ada" },
        text,
        files: [],
        addressed: true,
      },
    ]);
  }

  get platform(): ChatPlatform {
    const { sinks, posted } = this;
    return {
      ...quick(platformNamed("telegram")),
      open: () =>
        Promise.resolve({
          connect: () => Promise.resolve({ id: "bot", name: "Bot" }),
          async receive(sink, signal) {
            sinks.push(sink);
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
            sinks.splice(sinks.indexOf(sink), 1);
          },
          send: ({ text }) => Promise.resolve(String(posted.push(text))),
          edit: () => Promise.resolve(),
        }),
    };
  }
}

/** A chat on a machine whose time is moved by hand. */
export interface HandChat {
  readonly machine: Machine;
  readonly one: OnePlatform;
  readonly begin: () => Promise<ChatProcess>;
}

/** Makes a chat that does not run yet. @param changed - gives the records that it uses */
export async function handChat(models: Models, changed: (records: Records) => Records): Promise<HandChat> {
  const machine = new Machine();
  const one = new OnePlatform();
  const { clock } = machine;
  const { store } = await machine.start(models);
  return {
    machine,
    one,
    begin: () =>
      startChat({
        platform: one.platform,
        account: { baseUrl: "https://chat.example", secrets: {} },
        models,
        clock,
        store: changedObject(store, { records: changed(store.records) }),
        host: { clock },
      }),
  };
}
