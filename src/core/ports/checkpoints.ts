/** The place and the turn of a change: for a subagent's, those of the person's session that it works for. */
export interface ChangePlace {
  readonly session: string;
  readonly turnId: string;
  /** The session's cursor. */
  readonly cursor: number;
  readonly roots: readonly string[];
}

/** A call that may change files. */
export interface PlannedChange extends ChangePlace {
  /** One line for people. */
  readonly label: string;
  /** Absolute; absent for a call that may change anything in the workspace. */
  readonly paths?: readonly string[];
}

/** The mark of a call whose change is watched, for `after`. */
export type ChangeMark = readonly number[];

/** A file, and why something is so with it. */
export interface FileReason {
  readonly path: string;
  readonly reason: string;
}

/** The change of one file by a turn. */
export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  readonly change: "added" | "changed" | "deleted";
  readonly added: number;
  readonly removed: number;
  /** Its old content was not kept, and why. */
  readonly notKept?: string;
}

/** The files of a turn. */
export interface TurnFiles {
  readonly turnId: string;
  /** The session's cursor at its first change. */
  readonly cursor: number;
  /** Unix milliseconds of its first change. */
  readonly at: number;
  readonly files: readonly ChangedFile[];
  /** Files beyond those that are listed. */
  readonly more: number;
  readonly added: number;
  readonly removed: number;
  /** Its files were given up for room: they cannot be put back any more. */
  readonly dropped: boolean;
  /** What was not covered, in sentences for people. */
  readonly notes: readonly string[];
}

/** A stretch of a session's past: what happened after a cursor, or one turn. */
export interface FilePast {
  readonly session: string;
  readonly after: number;
  /** Only this turn. */
  readonly turnId?: string;
}

/** A wish to put files back to what they were at a cursor. */
export interface FileRestore extends FilePast {
  /** The session's cursor now. */
  readonly cursor: number;
  readonly label: string;
  /** Only these files, absolute; conflicts among them are overwritten. */
  readonly paths?: readonly string[];
  /** Overwrites conflicts. */
  readonly force?: boolean;
}

/** The end of a restore. */
export interface RestoredFiles {
  /** Absolute. */
  readonly restored: readonly string[];
  /** Those of the restored that were not there before: they are gone. */
  readonly removed: readonly string[];
  /** Somebody else changed these meanwhile: they were left alone. */
  readonly conflicts: readonly FileReason[];
  /** These could not be put back. */
  readonly failed: readonly FileReason[];
}

/**
 * The files of sessions before their turns changed them. What a call may change is kept before it runs, durably; nothing that
 * somebody else changed is overwritten unasked; nothing outside the roots is read or written.
 */
export interface Checkpoints {
  /**
   * Begins to look at a session's workspace in the background; returns at once.
   *
   * @param before - a turn, in which a call may change files, or such a call itself
   */
  prepare(roots: readonly string[], before: "turn" | "call"): void;
  /** Resolves when the call may run; what could not be kept is noted, and never stops it. */
  before(change: PlannedChange): Promise<ChangeMark>;
  /**
   * Notes what a call did. The turn does not wait for it: whatever is asked later has to come after it.
   *
   * @param goesOn - what the call started runs on in the background
   */
  after(mark: ChangeMark, goesOn: boolean): Promise<void>;
  /** The turns of a session that changed files, the oldest first. */
  turns(session: string): Promise<readonly TurnFiles[]>;
  /** A unified diff of what happened, at most `limit` characters. */
  diff(past: FilePast, limit: number): Promise<string>;
  /** What `restore` would do, without doing it. */
  preview(wish: FileRestore): Promise<RestoredFiles>;
  restore(wish: FileRestore): Promise<RestoredFiles>;
  /** Gives a branch of a session a copy of its files' history, up to a cursor. */
  copy(from: string, to: string, upTo: number): Promise<void>;
  forget(session: string): Promise<void>;
}
