import { createHash, randomBytes } from "node:crypto";
import type { Clock, Records } from "../../core/index.ts";
import { RecordSpace } from "../../automation/work/record-space.ts";

/** The way in which an operator signed in. */
export type SignInWay = "password" | "recovery code" | "address" | "activation" | "openid";

/** The sign-in of somebody at the dashboard, in one browser. */
export interface CookieSession {
  /** For lists; no secret. */
  readonly id: string;
  readonly who: string;
  readonly way: SignInWay;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly seenAt: number;
  /** The address that it came from, and what its browser calls itself. */
  readonly address: string;
  readonly browser: string;
}

/** The signer-in, as its request shows them. */
export type Visitor = Pick<CookieSession, "address" | "browser">;

const TOKEN_BYTES = 32;
const HOUR = 3_600_000;
const IDLE = 12 * HOUR;
const LONGEST = 7 * 24 * HOUR;
/** A use is noted when the last noted one is so long ago. */
const NOTED_EVERY = 60_000;
const MOST_SHOWN = 1000;

/** The list of who is signed in. Of a cookie only a hash is kept, so that a stolen database signs nobody in. */
export class CookieSessions {
  readonly #space: RecordSpace<CookieSession>;
  readonly #clock: Clock;
  #ended: (id: string) => void = () => undefined;

  constructor(records: Records, clock: Clock) {
    this.#clock = clock;
    this.#space = new RecordSpace<CookieSession>(records, {
      space: "dashboard.sessions",
      name: "Sign-in",
      encode: (value) => ({
        space: "dashboard.sessions",
        key: value.id,
        value: JSON.stringify(value),
        expiresAt: Math.min(value.seenAt + IDLE, value.createdAt + LONGEST),
      }),
    });
  }

  /** Signs somebody in. @returns the cookie's value */
  async create(who: string, way: SignInWay, visitor: Visitor): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const now = this.#clock.now();
    await this.#space.add({ id: idOf(token), who, way, createdAt: now, seenAt: now, ...visitor });
    return token;
  }

  /** Finds who a cookie belongs to, and notes that it was used. */
  async find(token: string): Promise<CookieSession | undefined> {
    const id = idOf(token);
    const session = await this.#space.get(id);
    const now = this.#clock.now();
    const isNoted = ({ seenAt }: CookieSession): boolean => now - seenAt < NOTED_EVERY;
    if (session === undefined || isNoted(session)) return session;
    // Many requests come at once: the first of them notes it.
    const noted = this.#space.change(id, (each) => (isNoted(each) ? undefined : { ...each, seenAt: now }));
    // A note that cannot be written, as on a full disk, keeps nobody out.
    return noted.catch(() => session);
  }

  /** Newest first. */
  list(): Promise<readonly CookieSession[]> {
    return this.#space.list({ newestFirst: true, limit: MOST_SHOWN });
  }

  /** Calls back whenever this process signs somebody out. */
  onEnd(ended: (id: string) => void): void {
    this.#ended = ended;
  }

  /** @returns whether there was one */
  end(id: string): Promise<boolean> {
    this.#ended(id);
    return this.#space.remove(id);
  }

  async endAll(): Promise<void> {
    for (const { id } of await this.list()) await this.end(id);
  }
}

/** Long enough that nobody finds another token for it, and no option of a command. */
const idOf = (token: string): string => createHash("sha256").update(token).digest("hex").slice(0, 32);
