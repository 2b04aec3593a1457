import { createHash } from "node:crypto";
import type { Clock } from "../../shared/async/clock.ts";
import type { ChannelNotes } from "../port/platform.ts";
import type { MatrixApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";

const KEPT_MS = 365 * 24 * 3_600_000;
const WORDS =
  "This room is encrypted, and I cannot read encrypted messages. Write to me in a room without encryption: it is chosen when a room is made.";

/** The rooms of which it was said that nothing in them can be read, as durable notes: it is said once. */
export class EncryptedRooms {
  readonly #api: MatrixApi;
  readonly #told = new Set<string>();
  readonly #parts: { readonly notes: ChannelNotes; readonly clock: Clock };

  constructor(api: MatrixApi, parts: { readonly notes: ChannelNotes; readonly clock: Clock }) {
    this.#api = api;
    this.#parts = parts;
  }

  /** Says it in a room, unless it was said. Never rejects: who cannot be told now asks again. */
  async tell(roomId: string, signal: AbortSignal): Promise<void> {
    if (this.#told.has(roomId)) return;
    this.#told.add(roomId);
    const { notes, clock } = this.#parts;
    const key = `encrypted:${createHash("sha256").update(roomId).digest("hex").slice(0, 24)}`;
    if ((await notes.all()).has(key)) return;
    const path = pathOf("rooms", roomId, "send", "m.room.message", key);
    const body = { msgtype: "m.notice", body: WORDS, "m.mentions": {} };
    await this.#api.call(path, { method: "PUT", body, signal }).then(
      () => notes.put(key, "", clock.now() + KEPT_MS),
      () => this.#told.delete(roomId),
    );
  }
}
