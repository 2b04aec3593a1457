import type { BlobCleanup } from "../blob-store.ts";
import type { HostEntry } from "../operations.ts";
import type { SavedPieces } from "../pieces/saved-pieces.ts";
import type { Database } from "./database.ts";

/** A lease of this host. */
export interface HeldLease {
  readonly fence: number;
  /** No cursor up to here is ever given out again. */
  readonly reserved: number;
}

/** The parts that the operations of one host work on. */
export type ContextParts = Pick<OperationContext, "database" | "blobs" | "saved" | "host">;

/** The state that the operations of one host on one database share. */
export class OperationContext {
  readonly database: Database;
  readonly blobs: BlobCleanup;
  readonly saved: SavedPieces;
  readonly host: HostEntry;
  /** Sessions that this host drives. */
  readonly held = new Map<string, HeldLease>();
  /** The first unreadable row by the session's key, until it is written down. */
  readonly damage = new Map<number, number>();
  /** This host changed something about commands: the change watcher must check them. */
  commandsChanged = false;
  appends = 0;
  /** Beats of this host: one that holds something again must not look as it did before. */
  beats = 0;
  #effects: (() => void)[] = [];

  constructor({ database, blobs, saved, host }: ContextParts) {
    this.database = database;
    this.blobs = blobs;
    this.saved = saved;
    this.host = host;
  }

  /** Runs an effect in memory once the current transaction is committed; never when it is not. */
  onceCommitted(effect: () => void): void {
    this.#effects.push(effect);
  }

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
