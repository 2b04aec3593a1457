import type { Piece } from "../../../core/index.ts";

/** A piece of streamed text that lies beside the database; `n`: the session's rows before it. */
export interface SavedPiece extends Piece {
  readonly n: number;
}

/**
 * The place where a process saves streamed text without asking the database. What it has taken survives the process, and
 * other processes read it through `SavedPieces`. A lease's fencing token stands for the session: no two have the same.
 */
export interface PieceSink {
  /** Returns once the pieces are saved; `false` when they could not be, or when another host has ended this one's saving. */
  save(fence: number, pieces: readonly SavedPiece[]): boolean;
  /** Nobody needs the pieces of a lease any more: a row holds them, or the lease is gone. */
  drop(fence: number): void;
  /** Deletes what nobody needs. */
  clean(): void;
  close(): void;
}

/** The pieces that the hosts of a home have saved beside its database. */
export interface SavedPieces {
  /** The pieces of a host's lease, oldest first; some may be in rows by now. */
  of(host: string, fence: number): readonly SavedPiece[];
  /** The cursor of the last of them; 0 when there are none. */
  lastOf(host: string, fence: number): number;
  /** A count that grows with what these hosts save. */
  changesOf(hosts: Iterable<string>): number;
  /** Ends a host's saving, also one that is only taken for dead: from now on it saves nothing that it has not read back. */
  seal(host: string): void;
  /** Deletes what a dead host has saved; it drives no session. */
  discard(host: string): void;
  /** Deletes what a host has saved; it drives no session and may go on later. */
  remove(host: string): void;
  /** Deletes what hosts have left that nobody knows any more, when it is older than `before`, Unix milliseconds. */
  removeLeftovers(options: { readonly before: number; readonly isKnown: (host: string) => boolean }): void;
}
