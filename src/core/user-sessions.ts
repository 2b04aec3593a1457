import type { Services } from "./ports/services.ts";
import type { SearchPage, SessionRecord, TextQuery } from "./ports/store.ts";
import type { ListQuery } from "./ports/session-list.ts";
import { blobNotFound, sessionNotFound } from "./log/errors.ts";
import type { Session } from "./session.ts";
import type { OpenOptions } from "./session/open-options.ts";
import type { Submission } from "./session/submission.ts";
import type { Turn } from "./session/turn-handle.ts";

/** The options of a new session that a member may choose. An id of their own could tell whether somebody else has it. */
export type UserOpenOptions = Omit<OpenOptions, "user" | "id" | "parentId" | "past" | "depth">;

/** The parts of a host that the sessions of one user are reached by. */
export interface UserSessionsPorts {
  readonly services: Services;
  readonly open: (options: OpenOptions) => Promise<Session>;
  readonly begin: (
    options: OpenOptions,
    submission: Submission,
  ) => Promise<{ readonly session: Session; readonly turn: Turn }>;
  readonly session: (id: string) => Promise<Session>;
  readonly delete: (id: string) => Promise<void>;
}

/**
 * The sessions of one user: the only door for members. The store is asked for theirs alone, so that a session of anybody
 * else, or of nobody, is not there: not to be told from one that never was.
 */
export class UserSessions {
  readonly user: string;
  readonly #ports: UserSessionsPorts;

  /** @internal use `Host.of` */
  constructor(user: string, ports: UserSessionsPorts) {
    this.user = user;
    this.#ports = ports;
  }

  /** @throws HostError as `Host.open` */
  open(options: UserOpenOptions = {}): Promise<Session> {
    return this.#ports.open({ ...options, user: this.user });
  }

  /** Makes a session and sends its first prompt, in one trip to the store. @throws HostError as `Host.begin` */
  begin(options: UserOpenOptions, submission: Submission): ReturnType<UserSessionsPorts["begin"]> {
    return this.#ports.begin({ ...options, user: this.user }, submission);
  }

  /** @throws HostError `session_not_found` */
  async session(id: string): Promise<Session> {
    await this.#require(id);
    return await this.#ports.session(id);
  }

  /** A session as the store has it; `undefined` when they have none of this id. */
  record(id: string): Promise<SessionRecord | undefined> {
    return this.#ports.services.store.record(id, { user: this.user });
  }

  /** The newest activity first. */
  list(query: Omit<ListQuery, "user">): Promise<readonly SessionRecord[]> {
    return this.#ports.services.store.list({ ...query, user: this.user });
  }

  /** Finds sessions by what was said in them; see `Store.search`. */
  search(query: Omit<TextQuery, "user">): Promise<SearchPage> {
    return this.#ports.services.store.search({ ...query, user: this.user });
  }

  /** @throws HostError `session_not_found`, `session_busy` */
  async remove(id: string): Promise<void> {
    await this.#require(id);
    const { store, clock } = this.#ports.services;
    // What was used in it stays in their budget: it is counted before it goes.
    await store.personUsage({ names: [], since: 0, until: clock.now() });
    await this.#ports.delete(id);
  }

  /** The bytes of a blob that one of their sessions names. @throws HostError `blob_not_found` */
  async blob(hash: string): Promise<Uint8Array> {
    const { store } = this.#ports.services;
    if (!(await store.namesBlob(hash, this.user))) throw blobNotFound(hash);
    return await store.getBlob(hash);
  }

  async #require(id: string): Promise<void> {
    if ((await this.record(id)) === undefined) throw sessionNotFound(id);
  }
}
