import type { Records } from "../../core/index.ts";

/** A shorter silence is over before a process is up again. */
const WORTH_NOTING_MS = 1000;

/** The times until which a platform wants no more messages, as records: a restart does not forget them. */
export class ClosedChats {
  readonly #records: Records;
  readonly #space: string;

  constructor(records: Records, platform: string) {
    this.#records = records;
    this.#space = `chat.closed.${platform}`;
  }

  /** By chat, Unix milliseconds. */
  async all(): Promise<ReadonlyMap<string, number>> {
    const found = await this.#records.list({ space: this.#space, limit: 1000 });
    return new Map(found.map(({ key, value }) => [key.slice(1), Number(value)]));
  }

  async note(chatId: string, until: number): Promise<void> {
    const expiresAt = until + WORTH_NOTING_MS;
    await this.#records.put({ space: this.#space, key: `:${chatId}`, value: String(until), expiresAt });
  }
}
