import type { BlobCleanup } from "../blob-store.ts";
import type { HostEntry } from "../operations.ts";
import type { Database } from "./database.ts";

/** A lease of this host. */
export interface HeldLease {
  readonly fence: number;
  /** Cursors up to here are safely out of use. */
  readonly reserved: number;
}

/** What the operations of one open home share. */
export class OperationContext {
  readonly database: Database;
  readonly blobs: BlobCleanup;
  readonly host: HostEntry;
  /** Sessions that this host drives. */
  readonly held = new Map<string, HeldLease>();
  /** Rows that were found unreadable, by the session's key, until that is written down. */
  readonly damage = new Map<number, number>();
  /** Something about commands has changed here: who waits for that is to be told. */
  commandsChanged = false;
  appends = 0;
  #effects: (() => void)[] = [];

  constructor(database: Database, blobs: BlobCleanup, me: HostEntry) {
    this.database = database;
    this.blobs = blobs;
    this.host = me;
  }

  /** Does something in memory once what is being written is committed; never when it is not. */
  onceCommitted(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** How many effects wait for the commit. */
  get pendingEffects(): number {
    return this.#effects.length;
  }

  /** Forgets the effects of a change that was undone, all but the first `keep`. */
  dropEffects(keep: number): void {
    this.#effects.length = keep;
  }

  committed(): void {
    const effects = this.#effects;
    this.#effects = [];
    for (const effect of effects) effect();
  }
}
