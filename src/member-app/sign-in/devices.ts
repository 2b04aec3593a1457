import { createHash, randomBytes } from "node:crypto";
import { RecordSpace } from "../../automation/work/record-space.ts";
import type { Clock, Records } from "../../core/index.ts";

/** A device on which a member is signed in. */
export interface Device {
  /** For lists; no secret. */
  readonly id: string;
  readonly user: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly seenAt: number;
  /** The address that it came from, and what its browser calls itself. */
  readonly address: string;
  readonly browser: string;
}

/** Seconds that a device stays signed in. */
export const DEVICE_AGE = 90 * 24 * 3600;

const TOKEN_BYTES = 32;
/** A use is noted when the last noted one is so long ago. */
const NOTED_EVERY = 60_000;
const MOST_SHOWN = 200;

/** Those who are told of devices that are signed out: whichever part of this process does it. */
const LISTENERS = new WeakMap<Records, Set<(id: string) => void>>();

/** The devices of members. Of a cookie only a hash is kept, so that a stolen database signs nobody in. */
export class Devices {
  readonly #space: RecordSpace<Device>;
  readonly #clock: Clock;
  readonly #ended: Set<(id: string) => void>;

  constructor(records: Records, clock: Clock) {
    this.#clock = clock;
    this.#ended = LISTENERS.get(records) ?? new Set();
    LISTENERS.set(records, this.#ended);
    this.#space = new RecordSpace<Device>(records, {
      space: "app.devices",
      name: "Device",
      encode: (value) => ({
        space: "app.devices",
        key: value.id,
        parent: value.user,
        value: JSON.stringify(value),
        expiresAt: value.createdAt + DEVICE_AGE * 1000,
      }),
    });
  }

  /** Signs a device in. @returns the cookie's value */
  async create(user: string, from: Pick<Device, "address" | "browser">): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const now = this.#clock.now();
    await this.#space.add({ id: idOf(token), user, createdAt: now, seenAt: now, ...from });
    return token;
  }

  /** Finds the device that a cookie belongs to, and notes that it was used. */
  async find(token: string): Promise<Device | undefined> {
    const id = idOf(token);
    const device = await this.#space.get(id);
    const now = this.#clock.now();
    const isNoted = ({ seenAt }: Device): boolean => now - seenAt < NOTED_EVERY;
    if (device === undefined || isNoted(device)) return device;
    // Many requests come at once: the first of them notes it.
    const noted = this.#space.change(id, (each) => (isNoted(each) ? undefined : { ...each, seenAt: now }));
    // A note that cannot be written, as on a full disk, keeps nobody out.
    return noted.catch(() => device);
  }

  /** Whether a device is still signed in. */
  async has(id: string): Promise<boolean> {
    return (await this.#space.get(id)) !== undefined;
  }

  /** Those of one member, newest first. */
  list(user: string): Promise<readonly Device[]> {
    return this.#space.list({ parent: user, newestFirst: true, limit: MOST_SHOWN });
  }

  /** Signs a device of a member out. @returns whether they had it */
  async end(user: string, id: string): Promise<boolean> {
    if ((await this.#space.get(id))?.user !== user) return false;
    const ended = await this.#space.remove(id);
    for (const tell of this.#ended) tell(id);
    return ended;
  }

  /** Signs all devices of a member out. */
  async endAll(user: string): Promise<void> {
    for (let found = await this.list(user); found.length > 0; found = await this.list(user))
      for (const { id } of found) await this.end(user, id);
  }

  /** Calls back with each device that this process signs out, until the returned function is called. */
  onEnd(tell: (id: string) => void): () => void {
    this.#ended.add(tell);
    return () => void this.#ended.delete(tell);
  }
}

/** Long enough that nobody finds another token for it. */
const idOf = (token: string): string => createHash("sha256").update(token).digest("hex").slice(0, 32);
