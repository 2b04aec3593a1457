import type { Records } from "../../core/index.ts";
import type { ChannelNotes } from "../port/platform.ts";

const MOST = 1000;

/** The notes of one platform's channel, as records. */
export class RecordedNotes implements ChannelNotes {
  readonly #records: Records;
  readonly #space: string;

  constructor(records: Records, platform: string) {
    this.#records = records;
    this.#space = `chat.note.${platform}`;
  }

  async all(): Promise<ReadonlyMap<string, string>> {
    const found = await this.#records.list({ space: this.#space, newestFirst: true, limit: MOST });
    return new Map(found.map(({ key, value }) => [key, value]));
  }

  async put(key: string, value: string, expiresAt: number): Promise<void> {
    await this.#records.put({ space: this.#space, key, value, expiresAt });
  }
}
