import type { Clock } from "../../shared/async/clock.ts";
import type { ChatPlace } from "../port/place.ts";
import type { DiscordApi } from "./api.ts";
import { askPatiently } from "../port/patience.ts";
import { DiscordChannelWire } from "./wire.ts";

const MOST = 5000;
/** Threads of announcements, public and private ones. */
const THREADS: ReadonlySet<number> = new Set([10, 11, 12]);

/** The places of channels: a thread is a channel of its own, and messages do not say of which one. */
export class Channels {
  readonly #api: DiscordApi;
  readonly #clock: Clock;
  readonly #places = new Map<string, ChatPlace>();

  constructor(api: DiscordApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** The place of a channel. @throws HostError when the platform cannot be asked now */
  async placeOf(id: string, isDirect: boolean, signal: AbortSignal): Promise<ChatPlace> {
    if (isDirect) return { kind: "direct", chatId: id };
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const path = `/channels/${id}`;
    // A channel that the bot may not see is one all the same.
    return this.learn(
      await askPatiently(this.#clock, signal, () => this.#api.call("GET", { path, signal })),
      id,
    );
  }

  /** Learns the place of a channel as the platform describes it. */
  learn(channel: unknown, id: string): ChatPlace {
    const { data } = DiscordChannelWire.safeParse(channel);
    const parent = data !== undefined && THREADS.has(data.type) ? data.parent_id : undefined;
    return this.#keep(
      id,
      parent === undefined || parent === null
        ? { kind: "channel", chatId: id }
        : { kind: "channel", chatId: parent, threadId: id },
    );
  }

  #keep(id: string, place: ChatPlace): ChatPlace {
    if (this.#places.size >= MOST) this.#places.clear();
    this.#places.set(id, place);
    return place;
  }
}

/** The channel of a place. */
export const channelOf = ({ chatId, threadId }: ChatPlace): string => encodeURIComponent(threadId ?? chatId);
