import type { Sink } from "../port/channel.ts";
import type { Incoming, IncomingMessage } from "../port/incoming.ts";
import type { ChatPlace, Person } from "../port/place.ts";
import type { ChannelPorts } from "../port/platform.ts";
import type { DiscordApi } from "./api.ts";
import type { BotRoles } from "./bot-roles.ts";
import type { Channels } from "./channels.ts";
import {
  editOf,
  interactionOf,
  type NamedBot,
  writtenMessage,
  personOf,
  type ReadInteraction,
} from "./event.ts";
import type { Dispatch } from "./gateway.ts";
import type { Interactions } from "./interactions.ts";
import type { KnownPlaces } from "./known-places.ts";
import { readMissed } from "./missed.ts";
import { DeletionWire, MessageWire, ReactionWire } from "./wire.ts";

/** The parts with which events are read. */
export interface DispatchReaderParts {
  readonly api: DiscordApi;
  readonly ports: ChannelPorts;
  readonly channels: Channels;
  readonly known: KnownPlaces;
  readonly interactions: Interactions;
  readonly botId: string;
  readonly roles: BotRoles;
}

/** Messages whose senders are remembered: who took one back is not told. */
const MOST_SENDERS = 2000;
/** Places of which what was missed is read at once. */
const READ_AT_ONCE = 8;

/** A reader of the gateway's events. */
export class DispatchReader {
  readonly #parts: DispatchReaderParts;
  readonly #senders = new Map<string, Person>();

  constructor(parts: DispatchReaderParts) {
    this.#parts = parts;
  }

  /** Makes events safe. A new session begins with what was missed before it. */
  async take(
    dispatches: readonly Dispatch[],
    { sink, sessionId, signal }: { sink: Sink; sessionId: string; signal: AbortSignal },
  ): Promise<void> {
    const { interactions } = this.#parts;
    if (dispatches.some(({ type }) => type === "READY")) await this.#missed(sink, signal);
    const events: Incoming[] = [];
    const pressed: ReadInteraction[] = [];
    for (const dispatch of dispatches) {
      const interaction = this.#interaction(dispatch);
      if (interaction !== undefined) {
        pressed.push(interaction);
        interactions.expect(interaction);
        events.push(interaction.event);
      } else events.push(...(await this.#read(dispatch, sessionId, signal)));
    }
    await this.#safe(events, sink);
    for (const each of pressed) void interactions.acknowledge(each, signal);
  }

  get #bot(): NamedBot {
    return { id: this.#parts.botId, roles: this.#parts.roles.known };
  }

  async #missed(sink: Sink, signal: AbortSignal): Promise<void> {
    const { api, ports, known } = this.#parts;
    const take = (messages: readonly IncomingMessage[]): Promise<void> => this.#safe(messages, sink);
    const places = [...(await known.all())];
    // Each place in its order, several at once: what is new waits until all is read.
    const readSome = async (): Promise<void> => {
      for (let place = places.shift(); place !== undefined; place = places.shift())
        await readMissed({ api, clock: ports.clock, bot: this.#bot }, place, { take, signal });
    };
    await Promise.all(Array.from({ length: READ_AT_ONCE }, readSome));
  }

  async #safe(events: readonly Incoming[], sink: Sink): Promise<void> {
    if (events.length === 0) return;
    await sink.take(events);
    for (const event of events) {
      if (event.type !== "message") continue;
      this.#remember(event.messageId, event.from);
      await this.#parts.known.safe(event);
    }
  }

  #interaction({ type, data }: Dispatch): ReadInteraction | undefined {
    if (type !== "INTERACTION_CREATE") return undefined;
    return interactionOf(data, (channel, id, isDirect) =>
      isDirect ? { kind: "direct", chatId: id } : this.#parts.channels.learn(channel, id),
    );
  }

  async #read(
    { type, data, seq }: Dispatch,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<readonly Incoming[]> {
    const placeIn = (given: { readonly channel_id: string; readonly guild_id?: string | undefined }) =>
      this.#parts.channels.placeOf(given.channel_id, given.guild_id === undefined, signal);
    const { botId } = this.#parts;
    switch (type) {
      case "MESSAGE_CREATE":
      case "MESSAGE_UPDATE": {
        const { data: message } = MessageWire.safeParse(data);
        if (message === undefined || message.author.bot) return [];
        const { mention_roles: mentioned, guild_id: guild } = message;
        if (mentioned.length > 0 && guild !== undefined) await this.#parts.roles.learn(guild, signal);
        const place = await placeIn(message);
        const read = type === "MESSAGE_CREATE" ? writtenMessage : editOf;
        return [read(message, place, this.#bot) ?? []].flat();
      }
      case "MESSAGE_DELETE":
      case "MESSAGE_DELETE_BULK": {
        const { data: gone } = DeletionWire.safeParse(data);
        return gone === undefined ? [] : this.#deletions(gone, await placeIn(gone));
      }
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE": {
        const { data: given } = ReactionWire.safeParse(data);
        if (given === undefined || given.user_id === botId) return [];
        const verdict = verdictOf(given.emoji.name ?? "");
        if (verdict === undefined || (given.message_author_id ?? botId) !== botId) return [];
        const user = given.member?.user;
        const from = user === undefined ? { id: given.user_id, name: given.user_id } : personOf(user);
        // It has no id of its own; a session that is resumed gives it the same number again.
        const base = { eventId: `${sessionId}-${seq}`, place: await placeIn(given), from };
        const isTaken = type === "MESSAGE_REACTION_REMOVE";
        return [
          { type: "reaction", ...base, messageId: given.message_id, verdict: isTaken ? "none" : verdict },
        ];
      }
      default:
        return [];
    }
  }

  #deletions(
    { id, ids }: { readonly id?: string | undefined; readonly ids: readonly string[] },
    place: ChatPlace,
  ) {
    return (id === undefined ? ids : [id]).flatMap((messageId): Incoming[] => {
      const from = this.#senders.get(messageId);
      if (from === undefined) return [];
      return [{ type: "deletion", eventId: `deletion-${messageId}`, place, from, messageId }];
    });
  }

  #remember(messageId: string, from: Person): void {
    const [oldest] = this.#senders.keys();
    if (this.#senders.size >= MOST_SENDERS && oldest !== undefined) this.#senders.delete(oldest);
    this.#senders.set(messageId, from);
  }
}

const verdictOf = (emoji: string): "up" | "down" | undefined =>
  emoji.startsWith("👍") ? "up" : emoji.startsWith("👎") ? "down" : undefined;
