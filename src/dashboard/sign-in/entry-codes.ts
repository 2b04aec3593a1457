import { createHash, randomBytes } from "node:crypto";
import type { Clock, Records } from "../../core/index.ts";

const SPACE = "dashboard.entry-codes";
const CODE_BYTES = 24;
const LIFE = 10 * 60_000;

/**
 * Codes that sign in once, within ten minutes, who owns the home: `agent dashboard` makes one and prints an address with
 * it. Only its hash is kept.
 */
export class EntryCodes {
  readonly #records: Records;
  readonly #clock: Clock;

  constructor(records: Records, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  async make(): Promise<string> {
    const code = randomBytes(CODE_BYTES).toString("base64url");
    const expiresAt = this.#clock.now() + LIFE;
    await this.#records.put({ space: SPACE, key: keyOf(code), value: "{}", expiresAt });
    return code;
  }

  /** Uses a code up. @returns whether it was good */
  take(code: string): Promise<boolean> {
    return this.#records.remove(SPACE, keyOf(code));
  }
}

const keyOf = (code: string): string => createHash("sha256").update(code).digest("base64url");
