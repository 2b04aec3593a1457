import {
  type Clock,
  type Personas,
  type RandomHex,
  type Records,
  requirePersona,
  type StoredRecord,
} from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { checkDollars, checkTokens } from "./budget-text.ts";
import { checkChatIdentity, checkName } from "./names.ts";
import { mobileNumber, parsedNumber } from "./mobile-number.ts";
import { storedUser, type User, type UserDraft, type UserPatch } from "./user.ts";

const USERS = "people.users";
const MOBILES = "people.mobiles";
const IDENTITIES = "people.identities";
const SEEN = "people.seen";
const READ_AT_ONCE = 500;
const SEEN_EVERY_MS = 60_000;

/** The parts of a roster. */
export interface RosterPorts {
  readonly clock: Clock;
  readonly hex: RandomHex;
  /** Those that users may have; any by default. */
  readonly personas?: Personas;
}

/** The people who may use the agent, as records of the home that all its processes share. */
export class Roster {
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #hex: RandomHex;
  readonly #personas: Personas | undefined;

  constructor(records: Records, { clock, hex, personas }: RosterPorts) {
    this.#records = records;
    this.#clock = clock;
    this.#hex = hex;
    this.#personas = personas;
  }

  /** @throws HostError `invalid_params` for a name, number or persona that is none, `conflict` for a number of somebody else's */
  async add({ name, mobile, role = "member", persona, budget }: UserDraft): Promise<User> {
    await this.checkPersona(persona);
    const id = `u_${this.#hex(6)}`;
    const number = mobile === undefined ? undefined : await mobileNumber(mobile);
    const more = defined({ mobile: number, persona, budget: patchedBudget(undefined, budget) });
    const user = { id, name: checkName(name), role, identities: [], createdAt: this.#clock.now(), ...more };
    const isKept = await this.#claim(MOBILES, number, id);
    await this.#records.add({ space: USERS, key: id, value: JSON.stringify(user) });
    if (await isKept()) return user;
    await this.#records.remove(USERS, id);
    throw taken(number);
  }

  /** @throws HostError `invalid_params` for a name that no persona has, with those that there are */
  async checkPersona(name: string | undefined): Promise<void> {
    if (name !== undefined && this.#personas !== undefined) await requirePersona(this.#personas, name);
  }

  /** @throws HostError `not_found`; as `add` */
  async change(id: string, patch: UserPatch): Promise<User> {
    const { mobile, persona } = patch;
    // One that they have already may be gone: what else is changed of them is taken all the same.
    if (typeof persona === "string" && (await this.find(id))?.persona !== persona)
      await this.checkPersona(persona);
    const number = typeof mobile === "string" ? await mobileNumber(mobile) : mobile;
    const isKept = await this.#claim(MOBILES, number ?? undefined, id);
    const name = patch.name === undefined ? undefined : checkName(patch.name);
    const [before, user] = await this.#write(id, (now) => ({
      ...without(now, patch, number),
      ...defined({
        name,
        mobile: number ?? undefined,
        role: patch.role,
        persona: patch.persona ?? undefined,
        budget: patchedBudget(now.budget, patch.budget),
        disabled: patch.disabled === true ? (true as const) : undefined,
      }),
    }));
    if (!(await isKept())) {
      await this.#write(id, ({ mobile: _other, ...now }) => ({
        ...now,
        ...defined({ mobile: before.mobile }),
      }));
      throw taken(number);
    }
    if (before.mobile !== undefined && before.mobile !== user.mobile)
      await this.#records.remove(MOBILES, before.mobile);
    return user;
  }

  /** Takes a user off the roster; their sessions stay, and nobody else ever has their id. `undefined`: there is none. */
  async remove(id: string): Promise<User | undefined> {
    const user = await this.find(id);
    if (user === undefined || !(await this.#records.remove(USERS, id))) return undefined;
    if (user.mobile !== undefined) await this.#records.remove(MOBILES, user.mobile);
    for (const identity of user.identities) await this.#records.remove(IDENTITIES, identity);
    await this.#records.remove(SEEN, id);
    return user;
  }

  /**
   * Links an identity of a chat, `telegram:42`, to a user.
   *
   * @throws HostError `not_found`, `invalid_params`, `conflict` when it is somebody else's
   */
  async link(id: string, identity: string): Promise<User> {
    checkChatIdentity(identity);
    await this.require(id);
    const isKept = await this.#claim(IDENTITIES, identity, id);
    const [, user] = await this.#write(id, (now) => ({
      ...now,
      identities: [...new Set([...now.identities, identity])],
    }));
    if (await isKept()) return user;
    await this.#write(id, (now) => ({
      ...now,
      identities: now.identities.filter((each) => each !== identity),
    }));
    throw taken(identity);
  }

  /** @throws HostError `not_found` when the user has no such identity */
  async unlink(id: string, identity: string): Promise<User> {
    const { identities } = await this.require(id);
    if (!identities.includes(identity))
      throw new HostError("not_found", `${identity} is not linked to the user ${id}.`);
    const [, user] = await this.#write(id, (now) => ({
      ...now,
      identities: now.identities.filter((each) => each !== identity),
    }));
    await this.#records.remove(IDENTITIES, identity);
    return user;
  }

  async find(id: string): Promise<User | undefined> {
    const record = await this.#records.get(USERS, id);
    return record && (await this.#seen(read(record)));
  }

  /** @throws HostError `not_found` */
  async require(id: string): Promise<User> {
    const user = await this.find(id);
    if (user === undefined) throw notFound(id);
    return user;
  }

  /** The user whom words name: an id, a mobile number, a linked identity. @throws HostError `not_found` */
  async named(words: string): Promise<User> {
    const given = words.trim();
    const user = (await this.find(given)) ?? (await this.byIdentity(given)) ?? (await this.byMobile(given));
    if (user === undefined) throw notFound(words);
    return user;
  }

  /** @param mobile - in any spelling with the country code */
  async byMobile(mobile: string): Promise<User | undefined> {
    const number = await parsedNumber(mobile);
    if (number === undefined) return undefined;
    const user = await this.#holder(MOBILES, number);
    return user?.mobile === number ? user : undefined;
  }

  async byIdentity(identity: string): Promise<User | undefined> {
    const user = await this.#holder(IDENTITIES, identity);
    return user?.identities.includes(identity) === true ? user : undefined;
  }

  /** All of them, in the order in which they were added. */
  async list(): Promise<readonly User[]> {
    const seen = new Map((await this.#all(SEEN)).map(({ key, value }) => [key, Number(value)]));
    return (await this.#all(USERS)).map((record) => {
      const user = read(record);
      return { ...user, ...defined({ lastSeenAt: seen.get(user.id) }) };
    });
  }

  /** Whether there is nobody. */
  async isEmpty(): Promise<boolean> {
    return (await this.#records.list({ space: USERS, limit: 1 })).length === 0;
  }

  /** Notes that a user is here, once a minute at most. */
  async noteSeen({ id, lastSeenAt = 0 }: Pick<User, "id" | "lastSeenAt">): Promise<void> {
    const now = this.#clock.now();
    if (now - lastSeenAt < SEEN_EVERY_MS) return;
    await this.#records.put({ space: SEEN, key: id, value: JSON.stringify(now) });
  }

  async #all(space: string): Promise<readonly StoredRecord[]> {
    const all: StoredRecord[] = [];
    for (let after: number | undefined; ;) {
      const page = await this.#records.list({ space, limit: READ_AT_ONCE, ...defined({ after }) });
      all.push(...page);
      after = page.at(-1)?.position;
      if (page.length < READ_AT_ONCE) return all;
    }
  }

  async #holder(space: string, key: string): Promise<User | undefined> {
    const record = await this.#records.get(space, key);
    return record && (await this.find(String(JSON.parse(record.value))));
  }

  /**
   * Takes a number or an identity for a user. What a crash left to one who does not have it is free, and so may look what
   * another process is just taking: the function that is given tells, once the user has it, whether it stayed theirs.
   *
   * @throws HostError `conflict`
   */
  async #claim(space: string, key: string | undefined, id: string): Promise<() => Promise<boolean>> {
    if (key === undefined) return () => Promise.resolve(true);
    const draft = { space, key, value: JSON.stringify(id) };
    const { added, record } = await this.#records.add(draft);
    const isStill = (version: number) => async () =>
      (await this.#records.replace(draft, version)) !== undefined ||
      (await this.#records.get(space, key))?.value === draft.value;
    if (added || record.value === draft.value) return isStill(record.version);
    const holder = space === MOBILES ? await this.byMobile(key) : await this.byIdentity(key);
    const replaced = holder === undefined ? await this.#records.replace(draft, record.version) : undefined;
    if (replaced === undefined) throw taken(key, holder);
    return isStill(replaced.version);
  }

  async #write(id: string, change: (now: StoredUser) => StoredUser): Promise<readonly [StoredUser, User]> {
    for (;;) {
      const record = await this.#records.get(USERS, id);
      if (record === undefined) throw notFound(id);
      const before = read(record);
      const after = change(before);
      const draft = { space: USERS, key: id, value: JSON.stringify(after) };
      // Somebody else changed them meanwhile: again, from what there is now.
      if ((await this.#records.replace(draft, record.version)) === undefined) continue;
      return [before, await this.#seen(after)];
    }
  }

  async #seen(user: StoredUser): Promise<User> {
    const record = await this.#records.get(SEEN, user.id);
    return record === undefined ? user : { ...user, lastSeenAt: Number(record.value) };
  }
}

type StoredUser = ReturnType<typeof read>;

const read = ({ value }: StoredRecord) => storedUser().parse(JSON.parse(value));

/** A user without what a patch takes away. */
function without(user: StoredUser, patch: UserPatch, mobile: string | null | undefined): StoredUser {
  const { mobile: number, persona, budget: _patched, disabled, ...rest } = user;
  return {
    ...rest,
    ...defined({
      mobile: mobile === null ? undefined : number,
      persona: patch.persona === null ? undefined : persona,
      disabled: patch.disabled === false ? undefined : disabled,
    }),
  };
}

/** A budget with its changes. @throws HostError `invalid_params` */
function patchedBudget(before: User["budget"], patch: UserPatch["budget"]): User["budget"] {
  if (patch === undefined) return before;
  if (patch === null) return undefined;
  const { tokens = before?.tokens, cost = before?.cost } = patch;
  const budget = defined({
    tokens: typeof tokens === "number" ? checkTokens(tokens) : undefined,
    cost: typeof cost === "number" ? checkDollars(cost) : undefined,
  });
  return budget.tokens === undefined && budget.cost === undefined ? undefined : budget;
}

const taken = (key: string | null | undefined, holder?: User): HostError =>
  new HostError("conflict", `${key ?? ""} belongs to ${holder?.name ?? "another user"} already.`);

const notFound = (words: string): HostError =>
  new HostError(
    "not_found",
    `There is no user ${JSON.stringify(words.slice(0, 80))}. "agent users list" shows who there is.`,
  );
