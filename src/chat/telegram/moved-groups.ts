import type { Incoming } from "../port/incoming.ts";
import type { ChannelPorts } from "../port/platform.ts";
import { UpdateWire } from "./update.ts";

/** Milliseconds: the host knows a group by its first id for good. */
const KEPT_MS = 100 * 365 * 24 * 3_600_000;

/**
 * The groups that have become supergroups, which gives them another id. The host goes on with the first one, so that the group's
 * conversations, its memory, what is on its way to it and what the owner has set for it stay as they are.
 */
export class MovedGroups {
  readonly #ports: Pick<ChannelPorts, "notes" | "clock">;
  readonly #newIds = new Map<string, string>();
  readonly #firstIds = new Map<string, string>();

  constructor(ports: Pick<ChannelPorts, "notes" | "clock">) {
    this.#ports = ports;
  }

  /** Reads what this and other processes have noted. */
  async load(): Promise<void> {
    for (const [from, to] of await this.#ports.notes.all()) this.#set(from, to);
  }

  /** Notes that a group has another id; holds at once, and is durable when it resolves. */
  async note(from: string, to: string): Promise<void> {
    if (from === to || this.#newIds.get(from) === to) return;
    this.#set(from, to);
    const { notes, clock } = this.#ports;
    await notes.put(from, to, clock.now() + KEPT_MS);
  }

  /** Learns from updates which groups have moved; they may be ones that another process has heard of. */
  async learn(updates: readonly unknown[]): Promise<void> {
    const messages = updates.flatMap((update) => UpdateWire.safeParse(update).data?.message ?? []);
    if (messages.some(({ chat }) => chat.type === "supergroup")) await this.load();
    for (const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } of messages) {
      if (to !== undefined) await this.note(String(chat.id), String(to));
      if (from !== undefined) await this.note(String(from), String(chat.id));
    }
  }

  /** The id of a chat for Telegram. */
  readonly idNow = (chatId: string): string => this.#newIds.get(chatId) ?? chatId;

  /** The id of a chat for the host. */
  readonly firstId = (chatId: string): string => this.#firstIds.get(chatId) ?? chatId;

  /** An event where the host knows its place. */
  readonly known = <T extends Incoming>(event: T): T => ({
    ...event,
    place: { ...event.place, chatId: this.firstId(event.place.chatId) },
  });

  #set(from: string, to: string): void {
    this.#newIds.set(from, to);
    this.#firstIds.set(to, from);
  }
}
