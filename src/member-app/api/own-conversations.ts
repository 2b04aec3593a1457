import {
  HostError,
  type ListQuery,
  type Session,
  type SessionRecord,
  type UserSessions,
} from "../../core/index.ts";

const PLATFORM = "app";
const DAMAGED = "This conversation is damaged and takes nothing more. Begin a new one.";

/**
 * The conversations of one member in the app. Other sessions of theirs, from a terminal or by the API, may have tools that
 * a phone's code must not lead to: here they are not there.
 */
export class OwnConversations {
  readonly #own: UserSessions;
  readonly #cwd: string;

  constructor(own: UserSessions, cwd: string) {
    this.#own = own;
    this.#cwd = cwd;
  }

  open(): Promise<Session> {
    return this.#own.open({ platform: PLATFORM, cwd: this.#cwd });
  }

  /** @throws HostError `session_not_found`, `session_damaged` */
  async session(id: string): Promise<Session> {
    // Also one that this process could go on writing: nobody could read it afterwards.
    if ((await this.record(id)).damaged) throw new HostError("session_damaged", DAMAGED);
    return await this.#own.session(id);
  }

  /** @throws HostError `session_not_found` */
  async record(id: string): Promise<SessionRecord> {
    const record = await this.#own.record(id);
    if (record?.state.platform === PLATFORM) return record;
    throw new HostError("session_not_found", "This conversation is not there, or not any more.");
  }

  /** The newest activity first. */
  list(query: Pick<ListQuery, "limit" | "below" | "search">): Promise<readonly SessionRecord[]> {
    return this.#own.list({ ...query, offset: 0, platform: PLATFORM });
  }

  /** @throws HostError `session_not_found`, `session_busy` */
  async remove(id: string): Promise<void> {
    await this.record(id);
    await this.#own.remove(id);
  }

  /** @throws HostError `blob_not_found` */
  blob(hash: string): Promise<Uint8Array> {
    return this.#own.blob(hash);
  }
}
