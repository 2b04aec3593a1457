import type { ChannelPorts } from "../port/platform.ts";
import { READ_BACK_MS } from "./limits.ts";

const KEY = "read";
/** Servers of one installation may disagree about the time, and tell what happened in another order. */
const OVERLAP_MS = 120_000;
const WRITE_EVERY_MS = 5000;
const KEPT_MS = 30 * READ_BACK_MS;

/**
 * The time until which all posts were accepted, in Unix milliseconds of the server. It is noted now and then: what is read
 * twice is known, and nothing behind it is left out.
 */
export class Bookmark {
  readonly #ports: Pick<ChannelPorts, "notes" | "clock">;
  #at: number | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(ports: Pick<ChannelPorts, "notes" | "clock">) {
    this.#ports = ports;
  }

  /** The time from which posts have to be read. */
  async since(): Promise<number> {
    const { notes, clock } = this.#ports;
    const now = clock.now();
    if (this.#at === undefined) {
      const noted = Number((await notes.all()).get(KEY));
      this.#at = noted > 0 ? noted : now;
      await this.#write(this.#at);
    }
    return Math.max(this.#at, now - READ_BACK_MS) - OVERLAP_MS;
  }

  /** All until then is accepted. */
  async advance(at: number): Promise<void> {
    const { clock } = this.#ports;
    // A post may say any time; one of the future would hide those before it.
    if (at <= (this.#at ?? 0) || at > clock.now() + OVERLAP_MS) return;
    this.#at = at;
    if (clock.monotonic() - this.#writtenAt >= WRITE_EVERY_MS) await this.#write(at);
  }

  async #write(at: number): Promise<void> {
    const { notes, clock } = this.#ports;
    this.#writtenAt = clock.monotonic();
    await notes.put(KEY, String(at), clock.now() + KEPT_MS);
  }
}
