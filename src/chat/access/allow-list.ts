import type { Records } from "../../core/index.ts";
import type { Person, ChatPlace } from "../port/place.ts";

const PAIRED = "chat.paired";

/** A person who was let in by a pairing code. */
export interface PairedPerson extends Person {
  /** Unix milliseconds. */
  readonly pairedAt: number;
}

/** A user on the roster. */
export interface LinkedPerson {
  readonly id: string;
  readonly disabled?: boolean | undefined;
  /** They sit at the terminal: their memory is the home's. */
  readonly isOwner?: boolean;
}

/** The people on the roster, by the identities that are linked to them. */
export interface LinkedPeople {
  /** @param identity - as `telegram:42`. `undefined`: it is linked to nobody. */
  byIdentity(identity: string): Promise<LinkedPerson | undefined>;
  /** Notes that they are here; seldom writes. */
  noteSeen(person: LinkedPerson): Promise<void>;
}

/** The key of a person among the paired ones. */
export const pairedKey = (platform: string, personId: string): string => `${platform}\n${personId}`;

/** The judge of who may talk to the agent in a place: by the owner's list, or by a pairing code that was approved. */
export class Access {
  readonly #records: Records;
  readonly #platform: string;
  readonly #people: LinkedPeople;
  readonly #allowed: () => readonly string[];

  /** @param allowed - the entries of the owner's list, as they are now */
  constructor(
    { records, people }: { readonly records: Records; readonly people: LinkedPeople },
    platform: string,
    allowed: () => readonly string[],
  ) {
    this.#records = records;
    this.#people = people;
    this.#platform = platform;
    this.#allowed = allowed;
  }

  async admits(from: Person, place: ChatPlace): Promise<boolean> {
    const allowed = this.#allowed();
    const user = await this.#people.byIdentity(`${this.#platform}:${from.id}`);
    // Who was shut out is, whatever else lets them in.
    if (user?.disabled === true) return false;
    if (user !== undefined && allowed.includes("roster")) return true;
    if (allowed.includes("*")) return true;
    if (allowed.includes(from.id) || allowed.includes(`user:${from.id}`)) return true;
    const { kind, chatId } = place;
    if (kind === "channel" && (allowed.includes(chatId) || allowed.includes(`channel:${chatId}`)))
      return true;
    return (await this.#records.get(PAIRED, pairedKey(this.#platform, from.id))) !== undefined;
  }
}

/** The people who were let in by a code. */
export async function pairedPeople(records: Records, platform: string): Promise<readonly PairedPerson[]> {
  const found = await records.list({ space: PAIRED, parent: platform, limit: 1000 });
  // Written by `pair` only.
  return found.map(({ value }) => JSON.parse(value) as PairedPerson);
}

/** Lets a person in. */
export async function admitPerson(records: Records, platform: string, person: PairedPerson): Promise<void> {
  const key = pairedKey(platform, person.id);
  await records.put({ space: PAIRED, key, parent: platform, value: JSON.stringify(person) });
}

/** Takes back what a code had allowed. `false`: nobody of that id was let in. */
export const dismissPerson = (records: Records, platform: string, personId: string): Promise<boolean> =>
  records.remove(PAIRED, pairedKey(platform, personId));
