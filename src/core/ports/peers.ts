import type { Snapshot } from "./store.ts";

/** The reading of a session that another host drives. */
export interface FollowedSession {
  readonly id: string;
  /** The cursor of the newest event that is known here. */
  readonly cursor: () => number;
  /** Told when something has come. */
  readonly came: () => void;
  /** Told when nothing comes this way any more: the store is to be asked. */
  readonly lost: () => void;
}

/**
 * The other hosts, as readers need them: what these drive comes straight from their memory, as soon as it is committed. All of
 * it is in the store as well, so that every reader can go on there at any cursor.
 */
export interface Peers {
  /** What followed sessions have after a cursor, as far as it has come; `undefined` when the store is to be asked. */
  read(session: string, after: number): Snapshot | undefined;
  /** Follows a session until `signal` aborts; the returned function says whether it comes this way at the moment. */
  follow(session: FollowedSession, signal: AbortSignal): () => boolean;
}
