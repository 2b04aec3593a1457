import type {
  AppendRequest,
  AppendResult,
  ChildRecord,
  Command,
  CommandResult,
  FeedPage,
  Head,
  ListQuery,
  RecordDraft,
  RecordQuery,
  StoredRecord,
  StoredRow,
} from "../../core/index.ts";
import type { PackedSnapshot, StoredRows } from "./packed-rows.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { StateEntry } from "./state-entry.ts";

/** A host as the database has it. Each reader judges by itself whether it lives. */
export interface HostEntry extends ProcessIdentity {
  readonly id: string;
  /** Rises every two seconds while the host holds something. */
  readonly beat: number;
  /** It closed its store without giving back everything. */
  readonly ended: boolean;
  /** Where machines share a database: it says that the last beat is older than a lease. */
  readonly expired?: boolean;
  /** The database has crashed since the last beat: text that it was to keep may be gone. */
  readonly isBehind?: boolean;
}

/** An append request whose state is encoded. */
export interface EncodedAppend extends Omit<AppendRequest, "state"> {
  readonly state?: StateEntry;
}

/** The outcome of an append, before the owner is judged. */
export type AppendOutcome =
  | Exclude<AppendResult, { status: "owned" }>
  | { readonly status: "owned"; readonly holder: HostEntry };

/** A session to be made: its id, its first rows and its state. */
export interface SessionDraft {
  readonly id: string;
  readonly rows: readonly StoredRow[];
  readonly state: StateEntry;
}

/** A session as the database has it, before its state is decoded and its owner judged. */
export interface SessionEntry {
  readonly id: string;
  /** JSON; absent when nothing of it can be read. */
  readonly state?: string;
  /** The stored state is of another version, or damaged: rebuild it. */
  readonly stale: boolean;
  readonly damaged: boolean;
  readonly holder?: HostEntry;
}

/** A host with what it holds. */
export interface HostHoldings {
  readonly host: HostEntry;
  readonly children: readonly ChildRecord[];
  readonly sessions: readonly string[];
}

/** A record as the database has it. */
export interface RecordEntry extends Omit<StoredRecord, "claim"> {
  readonly claim?: HostEntry;
}

type RecordKey = { readonly space: string; readonly key: string; readonly now: number };

/** The work that the disk had, for tests and metrics. */
export interface StoreStats {
  /** Appends that were committed. */
  readonly appends: number;
  /** Transactions that wrote. */
  readonly commits: number;
  /** Those of them that waited for the disk. */
  readonly syncs: number;
}

type InSession = { readonly session: string };
type Nothing = Readonly<Record<string, never>>;

/**
 * The operations of a backend. Requests are plain strings and numbers, so that each can cross into another thread or
 * another machine. Each takes effect as a whole or not at all.
 */
export interface StoreOperations {
  create(request: SessionDraft): boolean;
  append(request: EncodedAppend): AppendOutcome;
  read(request: InSession & { readonly after: number; readonly limit: number }): PackedSnapshot | undefined;
  readBefore(request: InSession & { readonly before: number; readonly limit: number }): StoredRows;
  feed(request: { readonly after: number; readonly limit: number }): FeedPage;
  /** @param request - with a user: only if it is theirs */
  findSession(request: InSession & { readonly user?: string }): SessionEntry | undefined;
  namesBlob(request: { readonly hash: string; readonly user: string }): boolean;
  list(request: ListQuery): readonly SessionEntry[];
  /** Rebuilds the state of a session from its next rows; `true` at the end of its log. */
  rebuildState(request: InSession): boolean;
  /** Stores the state that `rebuildState` made. */
  saveRebuiltState(request: InSession): void;
  branch(request: SessionDraft & { readonly from: string; readonly head: Head }): boolean;
  /** Removes a session that nobody else holds, or the host `holder`, which is known to be dead. */
  remove(request: InSession & { readonly holder: string | undefined }): {
    readonly removed: boolean;
    readonly holder?: HostEntry;
  };
  /** Deletes some rows of a removed session, or its blobs; `false` when nothing is left to delete. */
  purge(request: Nothing): boolean;

  watch(request: InSession): void;
  unwatch(request: InSession): void;

  /** Hands a command to the session's holder; `undefined` when nobody holds it. */
  send(request: { readonly command: Command; readonly now: number }): HostEntry | undefined;
  /** From now on commands to sessions of this host are handed out. */
  listen(request: Nothing): void;
  /** Gives those that were taken back before. */
  answer(request: { readonly results: readonly CommandResult[] }): readonly string[];
  /** The host that will answer a command: the one that took it, else the holder of its session. */
  answerer(request: { readonly id: string }): HostEntry | undefined;
  /**
   * Takes a command back, with its answer if there is one. Unless forced, one that another host than `from` has
   * taken stays, and `open` is true.
   */
  withdraw(request: { readonly id: string; readonly from: string | undefined; readonly force: boolean }): {
    readonly open: boolean;
    readonly result?: CommandResult;
  };

  /** Shows that this host lives; `false` when it holds nothing, so that no other host needs to know. */
  beat(request: { readonly now: number }): boolean;
  hosts(request: Nothing): readonly HostHoldings[];
  /** Forgets a host that was dead at its `beat`, where that is known: one that shows life again stays. */
  forgetHost(request: { readonly host: string; readonly beat: number | undefined }): void;
  /** Takes a lease from a host that was dead at its `beat`. */
  takeOver(
    request: InSession & { readonly from: string; readonly beat: number },
  ): { readonly fence: number; readonly reserved: number } | undefined;
  holder(request: InSession): HostEntry | undefined;
  recordChild(request: ChildRecord): void;
  forgetChild(request: { readonly pid: number }): void;

  readRecord(request: RecordKey): RecordEntry | undefined;
  /**
   * Writes a record over the given version, over none with version 0, or over any without one. `entry` is the record
   * afterwards; when there is none, the draft with version 0.
   */
  writeRecord(request: { readonly draft: RecordDraft; readonly version?: number; readonly now: number }): {
    readonly written: boolean;
    readonly entry: RecordEntry;
  };
  removeRecord(request: RecordKey & { readonly version?: number }): boolean;
  listRecords(request: RecordQuery & { readonly now: number }): readonly RecordEntry[];
  renewRecord(request: RecordKey & { readonly expiresAt: number }): boolean;
  trimRecords(request: { readonly space: string; readonly keep: number }): number;
  /** Claims due records that no host works on, or only one of `dead`; `holders` work on other due records. */
  claimRecords(request: {
    readonly space: string;
    readonly limit: number;
    readonly now: number;
    readonly dead: readonly string[];
  }): { readonly entries: readonly RecordEntry[]; readonly holders: readonly HostEntry[] };
  /** Deletes some of the records that have expired; `false` when none is left. */
  expireRecords(request: { readonly now: number }): boolean;

  /** Protects a blob that no row names yet from deletion. */
  claimBlob(request: { readonly hash: string; readonly now: number }): void;
  /** Deletes old commands and claims and, shard by shard, the blobs that no row names. */
  sweep(request: { readonly now: number; readonly shard: string }): void;
  stats(request: Nothing): StoreStats;
}

/** The name of an operation. */
export type StoreOperationName = keyof StoreOperations;

/** The input of an operation. */
export type StoreInput<Name extends StoreOperationName> = Parameters<StoreOperations[Name]>[0];

/** A message of a backend that no request asked for. */
export type StoreEvent =
  | { readonly type: "moved"; readonly session: string }
  | { readonly type: "command"; readonly command: Command }
  /** A command that this host sent is answered, or no host is left to answer it. */
  | { readonly type: "settled"; readonly id: string }
  /** This host could not show for too long that it lives: nothing that it held is its own any more. */
  | { readonly type: "lost" }
  /** What this host lost is there to be taken over. */
  | { readonly type: "buried" };

/** The keeper of a store's data: a thread with a database, or this process's memory. */
export interface StoreBackend {
  /** This host's word has run out, and what is shared does not answer yet. */
  readonly isLost?: boolean;
  /** @param written - told the response before what led to it would survive the loss of power, where that is known */
  call<K extends StoreOperationName>(
    name: K,
    request: StoreInput<K>,
    written?: (response: ReturnType<StoreOperations[K]>) => void,
  ): Promise<ReturnType<StoreOperations[K]>>;
  /** Ends this host. Others take over what it still holds, as from a dead host. */
  close(): Promise<void>;
}
