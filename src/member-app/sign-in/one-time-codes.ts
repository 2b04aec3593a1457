import { createHash, randomBytes, randomInt, scrypt } from "node:crypto";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import { RecordSpace } from "../../automation/work/record-space.ts";
import type { Clock, Records } from "../../core/index.ts";

/** Digits of a code. */
export const CODE_DIGITS = 6;
/** Milliseconds in which a code is good. */
export const CODE_LIFE = 5 * 60_000;

const TRIES = 5;
const HOUR = 3_600_000;
/** Codes that one number, and one address, may ask for in an hour. */
const MOST_OF_NUMBER = 3;
const MOST_OF_ADDRESS = 60;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

interface SentCode {
  readonly of: string;
  readonly salt: string;
  readonly hash: string;
  /** Wrong and right ones. */
  readonly tries: number;
  /** Who it signs in; nobody, where the number is on no roster. */
  readonly member?: string;
  readonly expiresAt: number;
}

interface Asked {
  readonly of: string;
  /** Unix milliseconds, the oldest first. */
  readonly times: readonly number[];
}

/** The asker of a code: a number, and the address that its request comes from. */
export interface CodeRequest {
  /** E.164. */
  readonly mobile: string;
  readonly address: string;
  /** Who has the number. */
  readonly member: string | undefined;
}

/** A wish for a code that is one too many: of which of both, and how long to wait. */
export interface CodeWait {
  readonly of: "number" | "address";
  readonly waitMs: number;
}

/** The answer to who asks for a code. */
export type NewCode = { readonly code: string } | CodeWait;

/**
 * One-time codes for mobile numbers. What is done for a number that is on no roster is the same as for any other, so that
 * neither an answer nor its time tells who is on it.
 */
export class OneTimeCodes {
  readonly #codes: RecordSpace<SentCode>;
  readonly #asked: RecordSpace<Asked>;
  readonly #clock: Clock;

  constructor(records: Records, clock: Clock) {
    this.#clock = clock;
    this.#codes = new RecordSpace<SentCode>(records, {
      space: "app.codes",
      name: "Code",
      encode: (value) => ({
        space: "app.codes",
        key: value.of,
        value: JSON.stringify(value),
        expiresAt: value.expiresAt,
      }),
    });
    this.#asked = new RecordSpace<Asked>(records, {
      space: "app.codes-asked",
      name: "Wish for a code",
      encode: (value) => ({
        space: "app.codes-asked",
        key: value.of,
        value: JSON.stringify(value),
        expiresAt: (value.times.at(-1) ?? 0) + HOUR,
      }),
    });
  }

  /** Makes a code in the place of an older one, unless too many were asked for. */
  async make({ mobile, address, member }: CodeRequest): Promise<NewCode> {
    const now = this.#clock.now();
    const addressWait = await this.#count(keyOf(`address ${address}`), MOST_OF_ADDRESS);
    // What is refused for its address is no wish of the number: its owner may ask from elsewhere.
    if (addressWait > 0) return { of: "address", waitMs: addressWait };
    const numberWait = await this.#count(keyOf(mobile), MOST_OF_NUMBER);
    if (numberWait > 0) return { of: "number", waitMs: numberWait };
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, "0");
    const salt = randomBytes(SALT_BYTES).toString("base64");
    const of = keyOf(mobile);
    const hash = (await hashOf(code, salt)).toString("base64");
    const base = { of, salt, hash, tries: 0, expiresAt: now + CODE_LIFE };
    const sent = member === undefined ? base : { ...base, member };
    if (!(await this.#codes.add(sent))) await this.#codes.change(of, () => sent);
    return { code };
  }

  /** Uses a code up. @returns who it signs in; `undefined` for a wrong, used or old one */
  async take(mobile: string, code: string): Promise<string | undefined> {
    const of = keyOf(mobile);
    let mayTry = false;
    // Counted before it is looked at: tries that come at once are tries all the same.
    const sent = await this.#codes.change(of, (each) => {
      mayTry = each.tries < TRIES;
      return mayTry ? { ...each, tries: each.tries + 1 } : undefined;
    });
    if (sent === undefined || !mayTry) return undefined;
    const given = await hashOf(code, sent.salt);
    if (!secretCheck(sent.hash)(given.toString("base64"))) return undefined;
    // Of two that come at once with the right one, the one that takes it away is signed in.
    return (await this.#codes.remove(of)) ? sent.member : undefined;
  }

  async #count(of: string, most: number): Promise<number> {
    const now = this.#clock.now();
    if (await this.#asked.add({ of, times: [now] })) return 0;
    let waitMs = 0;
    await this.#asked.change(of, ({ times }) => {
      const recent = times.filter((time) => time > now - HOUR);
      const [oldest = now] = recent;
      waitMs = recent.length < most ? 0 : oldest + HOUR - now;
      return waitMs > 0 ? undefined : { of, times: [...recent, now] };
    });
    return waitMs;
  }
}

const keyOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Slow on purpose: whoever steals the database cannot try a million codes while one of them is good. */
const hashOf = (code: string, salt: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(code, salt, HASH_BYTES, (error, hash) => (error === null ? resolve(hash) : reject(error)));
  });
