import type { IncomingMessage } from "../port/incoming.ts";
import type { ChatPlace } from "../port/place.ts";
import type { ChannelPorts } from "../port/platform.ts";
import { channelOf } from "./channels.ts";
import { isLater } from "./wire.ts";

/** A place in which somebody spoke to the bot, and the last message there that is safe. */
export interface KnownPlace {
  readonly place: ChatPlace;
  readonly last: string;
}

const MOST = 500;
const KEPT_MS = 30 * 24 * 3_600_000;
/** A note may be older than what is safe: a message that comes again is taken once. */
const NOTE_EVERY_MS = 30_000;

/** The places that the bot knows, as durable notes: what was missed there is read. */
export class KnownPlaces {
  readonly #ports: Pick<ChannelPorts, "notes" | "clock">;
  readonly #known = new Map<string, KnownPlace>();
  readonly #unnoted = new Set<string>();
  #isLoaded = false;
  #notedAt = 0;

  constructor(ports: Pick<ChannelPorts, "notes" | "clock">) {
    this.#ports = ports;
  }

  /** All of them, those of earlier processes too. */
  async all(): Promise<readonly KnownPlace[]> {
    if (!this.#isLoaded) {
      const notes = await this.#ports.notes.all();
      for (const [key, value] of notes) if (this.#known.size < MOST) this.#load(key, value);
      this.#isLoaded = true;
    }
    return [...this.#known.values()];
  }

  /** A message is safe. */
  async safe({ place, messageId, addressed }: IncomingMessage): Promise<void> {
    const key = channelOf(place);
    const before = this.#known.get(key);
    if (before === undefined && !addressed) return;
    if (before !== undefined && !isLater(messageId, before.last)) return;
    if (before === undefined && this.#known.size >= MOST) this.#forgetOldest();
    this.#known.delete(key);
    this.#known.set(key, { place, last: messageId });
    this.#unnoted.add(key);
    const now = this.#ports.clock.monotonic();
    if (before === undefined || now - this.#notedAt >= NOTE_EVERY_MS) await this.note();
  }

  /** Notes what is not noted. */
  async note(): Promise<void> {
    this.#notedAt = this.#ports.clock.monotonic();
    const expiresAt = this.#ports.clock.now() + KEPT_MS;
    const keys = [...this.#unnoted];
    this.#unnoted.clear();
    await Promise.all(
      keys.map((key) => this.#ports.notes.put(key, JSON.stringify(this.#known.get(key)), expiresAt)),
    );
  }

  #load(key: string, value: string): void {
    // Only this file writes these notes.
    this.#known.set(key, JSON.parse(value) as KnownPlace);
  }

  #forgetOldest(): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
