import type { BlobRef } from "../events/content.ts";
import type { Platform } from "../events/prompt.ts";
import type { Owner } from "../state/status.ts";
import type { FeedPage } from "./feed.ts";
import type { Records } from "./records.ts";
import type { StoredRow } from "./stored-row.ts";
import type { ListQuery, SessionFilter } from "./session-list.ts";
import type { SessionState } from "../state/state.ts";
import type { PersonUsage, PersonUsageQuery, UsageQuery, UsageReport } from "./usage.ts";

/** The end of a session's log: `n` rows, and the cursor after the newest. */
export interface Head {
  readonly n: number;
  readonly seq: number;
}

/** A piece of streamed text that no row holds yet; `cursor` is the session's cursor before its first character. */
export interface Piece {
  readonly cursor: number;
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

/** An addition to a session's log, committed as one. */
export interface AppendRequest {
  readonly session: string;
  /** The token of the lease held; without one, this append takes the lease. */
  readonly fence: number | undefined;
  /** Where the writer believes the log ends. */
  readonly after: Head;
  /** There is no such session yet: this append, at the beginning, makes it. */
  readonly creates?: boolean;
  readonly rows: readonly StoredRow[];
  readonly pieces: readonly Piece[];
  /** The rows hold all streamed text: delete the pieces. */
  readonly clearPieces: boolean;
  /** State after the rows; absent when there are none. */
  readonly state?: SessionState;
  readonly release: boolean;
  /**
   * No cursor up to here is ever given out again, whatever is lost with the power. Saved with every append that waits
   * for the disk; pieces alone wait only when they go past what was saved.
   */
  readonly reserve: number;
  readonly blobs: readonly string[];
  /** Answers to commands that these rows carry out. */
  readonly results: readonly CommandResult[];
  /**
   * Told when it is carried out such that a kill of this process does not lose it any more, where the store knows that before it
   * would survive the loss of power.
   */
  readonly written?: () => void;
}

/** Streamed text that is to be saved at once, under a lease that is held. */
export interface PieceSave {
  readonly session: string;
  readonly fence: number;
  /** The rows of the session's log; no append of the session is under way. */
  readonly n: number;
  readonly pieces: readonly Piece[];
}

/** The result of an append. */
export type AppendResult =
  /**
   * Committed; `fence` is the lease still held. `withdrawn`: commands that led to no row, and that their senders had taken back
   * before: their answers went to nobody.
   */
  | { readonly status: "ok"; readonly fence: number | undefined; readonly withdrawn?: readonly string[] }
  /** The senders of these commands had taken them back: nothing is appended. */
  | { readonly status: "withdrawn"; readonly commands: readonly string[] }
  /** Somebody else appended in between: read on, then try again. */
  | { readonly status: "moved" }
  /** A living process drives the session. */
  | { readonly status: "owned"; readonly owner: Owner }
  /** The lease was taken over by another process: stop everything. */
  | { readonly status: "fenced" }
  /** The session was to be made, and its id is taken. */
  | { readonly status: "exists" }
  | { readonly status: "gone" };

/** The wanted part of a log. */
export interface ReadRequest {
  /** Rows after this cursor. */
  readonly after: number;
  /** At most so many rows, fewer when they are large, and the rest of a reply that the last one stands in. */
  readonly limit: number;
}

/** One consistent look at a log. */
export interface Snapshot {
  readonly rows: readonly StoredRow[];
  /**
   * Streamed text that no row holds yet, when the page reaches the end: all of it, or for a cursor beyond the last
   * row what reaches past that cursor. Pieces that follow each other may come joined.
   */
  readonly pieces: readonly Piece[];
  readonly head: Head;
  readonly more: boolean;
  /** The first row that cannot be read any more; `rows` are those before it. */
  readonly damagedAt?: number;
}

/** A session as lists and first screens need it. */
export interface SessionRecord {
  readonly id: string;
  readonly state: SessionState;
  readonly owner?: Owner;
  /** The log or its stored state cannot be read. */
  readonly damaged: boolean;
}

/** A full-text search over titles and conversations. */
export interface TextQuery extends SessionFilter {
  /** As somebody types: all words must be there, `"a phrase"` as it stands; the last word, and one with `*`, may go on. */
  readonly words: string;
  /** Only sessions that began on one of them. */
  readonly platforms?: readonly Platform[];
  /** Sessions of a page, at most. */
  readonly limit: number;
  /** That of the page before. */
  readonly cursor?: string;
}

/** The words among which something was found: a title, what a person said, what the agent said, what a call was for. */
export type FoundKind = "title" | "prompt" | "answer" | "tool";

/** A place where all words of a search stand. */
export interface FoundPlace {
  readonly kind: FoundKind;
  /** The cursor after the row that says it. */
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly turnId?: string;
  /** What stands there, in a line or two. */
  readonly text: string;
  /** The words that were found in `text`: begin and end of each, in UTF-16 units. */
  readonly marks: readonly (readonly [number, number])[];
}

/** A session in which something was found. */
export interface TextHit {
  readonly session: SessionRecord;
  /** The best of its places. */
  readonly place: FoundPlace;
  /** The places that were found in it so far; older ones may follow. */
  readonly places: number;
}

/** A part of what a search found: among the newest places the best first, then older ones. */
export interface SearchPage {
  readonly hits: readonly TextHit[];
  /** Pass it for the next page; absent at the end. */
  readonly cursor?: string;
  /** All that was ever said is in the index. */
  readonly complete: boolean;
}

/** A request to the process that drives a session; the payload is JSON. */
export interface Command {
  readonly id: string;
  readonly session: string;
  readonly kind: string;
  readonly payload: string;
  /** Unix milliseconds by the store's clock, after which nobody waits for the answer any more. */
  readonly deadline: number;
}

/** A command before it is sent, with the milliseconds that its sender waits for the answer. */
export interface CommandDraft extends Omit<Command, "deadline"> {
  readonly waitMs: number;
}

/** The answer to a command. */
export interface CommandResult {
  readonly id: string;
  readonly ok: boolean;
  /** JSON: the value, or an error record. */
  readonly body: string;
}

/** A child process group that must not outlive its host. `startedAt` is the system's own mark of the process. */
export interface ChildRecord {
  readonly pid: number;
  readonly startedAt: string;
  readonly session: string;
  readonly label: string;
}

/** The remains of a dead host. */
export interface DeadHost {
  readonly hostId: string;
  readonly children: readonly ChildRecord[];
  /** Sessions that it drove. */
  readonly sessions: readonly string[];
  /** It died with the machine's power, not alone: cursors continue at the reserved one. */
  readonly newBoot: boolean;
}

/**
 * A change that a host must act on at once. `lost`: this one could not show for too long that it lives, so that others may take
 * over what it held; it holds nothing any more. `died`: another one was found dead, see `findDead`.
 */
export type HostChange = "lost" | "died";

/**
 * Durable sessions for one or many processes on one home. Every method resolves after its effect is committed;
 * appends survive power loss, pieces survive the death of the process.
 */
export interface Store extends AsyncDisposable {
  /** This process among those that share the home. */
  readonly hostId: string;
  /** Machines share it: it is reached over a network, and may become read-only or full while it can be read. */
  readonly isShared?: boolean;
  /** This host is `lost`, see `HostChange`, until the store answers again: others may do its work, and it takes none. */
  readonly isLost?: boolean;
  /** The records that surfaces keep beside the sessions. */
  readonly records: Records;

  /** Adds a session and its first rows. Resolves `false` when the id is taken. */
  create(id: string, rows: readonly StoredRow[], state: SessionState): Promise<boolean>;
  /** Appends of one session are carried out in the order in which they were asked for, also those that are tried again. */
  append(request: AppendRequest): Promise<AppendResult>;
  /**
   * Saves streamed text before it returns: as safe as the pieces of an append, and for the same readers. `false`: this
   * store has no such way, or not for this text, and nothing is saved; append the pieces.
   */
  savePieces(save: PieceSave): boolean;
  read(session: string, request: ReadRequest): Promise<Snapshot | undefined>;
  /** The newest rows whose own cursor is below `before`, oldest first. */
  readBefore(session: string, before: number, limit: number): Promise<readonly StoredRow[]>;
  /** The rows of all sessions that others follow, after a position. */
  feed(after: number, limit: number): Promise<FeedPage>;
  /** @param of - only if it is this user's */
  record(session: string, of?: { readonly user: string }): Promise<SessionRecord | undefined>;
  list(query: ListQuery): Promise<readonly SessionRecord[]>;
  /**
   * Finds sessions by what was said in them, turns that were taken back left out.
   *
   * @throws HostError `invalid_params` when there is no word to search for, too much of them, or a cursor of none of its pages
   */
  search(query: TextQuery): Promise<SearchPage>;
  /** Adds up what was used, turns that were taken back among it. What was deleted is gone from it. */
  usage(query: UsageQuery): Promise<UsageReport>;
  /** What people used, each of those with any; quick, and also of what they deleted. */
  personUsage(query: PersonUsageQuery): Promise<readonly PersonUsage[]>;
  /** Copies the rows up to `head` into a new session and appends its own; cursors are kept. */
  branch(
    from: string,
    head: Head,
    to: { readonly id: string; readonly rows: readonly StoredRow[]; readonly state: SessionState },
  ): Promise<boolean>;
  remove(session: string): Promise<boolean>;

  /** Calls `moved` when another process appended to the session, until the signal aborts. */
  watch(session: string, moved: () => void, signal: AbortSignal): void;

  /** Sends a command to the session's owner and waits for its answer; `undefined` when none came in time. */
  send(command: CommandDraft): Promise<CommandResult | undefined>;
  /** Calls `handle` for every command to a session that this process drives. */
  onCommand(handle: (command: Command) => void): void;
  /** Answers commands that lead to no row; gives those that their senders had taken back. */
  answer(results: readonly CommandResult[]): Promise<readonly string[]>;

  /**
   * Finds hosts that died, and their remains. A host is reported until `bury` is called for it and its sessions are
   * taken over.
   */
  findDead(): Promise<readonly DeadHost[]>;
  /** Whether a host runs, as far as can be told; one that holds nothing in this home counts as gone, unless it is this one. */
  isAlive(hostId: string): Promise<boolean>;
  forgetHost(hostId: string): Promise<void>;
  /** Takes the lease of a dead owner's session; `undefined` when somebody else was faster. */
  takeOver(
    session: string,
    from: string,
  ): Promise<{ readonly fence: number; readonly reserved: number } | undefined>;

  /** Calls `handle` when something happened to the hosts of this store; see `HostChange`. */
  onHostChange(handle: (change: HostChange) => void): void;

  recordChild(child: ChildRecord): Promise<void>;
  forgetChild(pid: number): Promise<void>;

  /** Writes bytes, synced, before the row that names them. */
  putBlob(bytes: Uint8Array): Promise<BlobRef>;
  /** @throws HostError `blob_not_found` */
  getBlob(hash: string): Promise<Uint8Array>;
  /** Whether a session of this user names a blob. */
  namesBlob(hash: string, user: string): Promise<boolean>;
}
