import { randomInt } from "node:crypto";
import type { Records, StoredRecord } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { TaskQueue } from "../../shared/async/keyed-queue.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Person } from "../port/place.ts";
import { admitPerson, type PairedPerson } from "./allow-list.ts";

const CODES = "chat.pairing";
const GUESSES = "chat.pairing.guesses";
const HOUR_MS = 3_600_000;
const MOST_OPEN = 3;
const MOST_GUESSES = 10;
const LENGTH = 8;
/** Without letters that look like others. */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A code that a stranger was given. */
export interface PairingCode {
  readonly code: string;
  readonly platform: string;
  readonly person: Person;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** The stranger has read it, as far as is known. */
  readonly told?: true;
}

/** The pairing of strangers: a code that they are told in the chat, and that an operator approves elsewhere. */
export class Pairing {
  readonly #records: Records;
  readonly #clock: Clock;
  /** Strangers come side by side, and no more than three find a place. */
  readonly #offers = new TaskQueue();

  constructor(records: Records, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  /**
   * The code that a stranger is to be told: a new one, good for an hour, or one that could not be told. `undefined` when they know
   * theirs, or when three are open on the platform: then there is nothing to tell.
   */
  offer(platform: string, person: Person): Promise<PairingCode | undefined> {
    return this.#offers.run(() => this.#offer(platform, person));
  }

  async #offer(platform: string, person: Person): Promise<PairingCode | undefined> {
    const open = await this.open(platform);
    const theirs = open.find((each) => each.person.id === person.id);
    if (theirs !== undefined) return theirs.told === true ? undefined : theirs;
    if (open.length >= MOST_OPEN) return undefined;
    const code = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");
    const expiresAt = this.#clock.now() + HOUR_MS;
    const offered: PairingCode = { code, platform, person, expiresAt };
    const value = JSON.stringify(offered);
    const { added } = await this.#records.add({
      space: CODES,
      key: code,
      parent: platform,
      value,
      expiresAt,
    });
    return added ? offered : undefined;
  }

  /** Notes that the stranger was told: they are not told again. */
  async noteTold(offered: PairingCode): Promise<void> {
    const record = await this.#records.get(CODES, offered.code);
    if (record === undefined) return;
    const { platform: parent, expiresAt, code: key } = offered;
    const value = JSON.stringify({ ...offered, told: true } satisfies PairingCode);
    await this.#records.replace({ space: CODES, key, parent, value, expiresAt }, record.version);
  }

  /** The open codes of a platform, or of all. */
  async open(platform?: string): Promise<readonly PairingCode[]> {
    const parent = platform === undefined ? {} : { parent: platform };
    return (await this.#records.list({ space: CODES, ...parent, limit: 100 })).map(codeOf);
  }

  /**
   * Lets the person in who was told the code.
   *
   * @throws HostError `not_found` for a code that nobody has, `conflict` after ten of those within the hour
   */
  async approve(given: string): Promise<PairingCode> {
    const offered = await this.offered(given);
    const { platform, person, code } = offered;
    const paired: PairedPerson = { ...person, pairedAt: this.#clock.now() };
    await admitPerson(this.#records, platform, paired);
    await this.#records.remove(CODES, code);
    return offered;
  }

  /**
   * Takes a code back: it lets nobody in any more. Its person may ask for another one.
   *
   * @throws HostError as `approve`
   */
  async refuse(given: string): Promise<PairingCode> {
    const offered = await this.offered(given);
    await this.#records.remove(CODES, offered.code);
    return offered;
  }

  /** The person who was told a code, before anything is decided. @throws HostError as `approve` */
  async offered(given: string): Promise<PairingCode> {
    const code = given.trim().toUpperCase();
    await this.#checkGuesses();
    const record = code === "" ? undefined : await this.#records.get(CODES, code);
    if (record !== undefined) return codeOf(record);
    await this.#countGuess();
    throw new HostError(
      "not_found",
      `There is no open pairing code ${JSON.stringify(given.slice(0, 20))}. Codes last an hour.`,
    );
  }

  async #checkGuesses(): Promise<void> {
    const guesses = await this.#records.list({ space: GUESSES, limit: MOST_GUESSES });
    if (guesses.length >= MOST_GUESSES)
      throw new HostError("conflict", "Too many wrong pairing codes within the hour. Wait, then try again.");
  }

  async #countGuess(): Promise<void> {
    const now = this.#clock.now();
    const key = `${now}-${randomInt(2 ** 32)}`;
    await this.#records.add({ space: GUESSES, key, value: "{}", expiresAt: now + HOUR_MS });
  }
}

// Only this file writes this space.
const codeOf = ({ value }: StoredRecord): PairingCode => JSON.parse(value) as PairingCode;
