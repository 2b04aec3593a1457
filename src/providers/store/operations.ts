import type {
  AppendRequest,
  AppendResult,
  ChildRecord,
  Command,
  CommandResult,
  Head,
  ListQuery,
  RecordDraft,
  RecordQuery,
  Snapshot,
  StoredRecord,
  StoredRow,
} from "../../core/index.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { StateEntry } from "./state-entry.ts";

/** A process on the home, as the home knows it. Whether it lives is judged by who reads it. */
export interface HostEntry extends ProcessIdentity {
  readonly id: string;
  /** Rises every two seconds while the host holds something. */
  readonly beat: number;
  /** It closed its store without giving back everything. */
  readonly ended: boolean;
}

/** An append whose state is encoded. */
export interface EncodedAppend extends Omit<AppendRequest, "state"> {
  readonly state?: StateEntry;
}

export type AppendOutcome =
  | Exclude<AppendResult, { status: "owned" }>
  | { readonly status: "owned"; readonly holder: HostEntry };

export interface SessionDraft {
  readonly id: string;
  readonly rows: readonly StoredRow[];
  readonly state: StateEntry;
}

/** A session's record before its state is decoded and its owner judged. */
export interface SessionEntry {
  readonly id: string;
  /** JSON; absent when nothing of it can be read. */
  readonly state?: string;
  /** The stored state is of another version, or damaged: fold it anew. */
  readonly stale: boolean;
  readonly damaged: boolean;
  readonly holder?: HostEntry;
}

export interface HostHoldings {
  readonly host: HostEntry;
  readonly children: readonly ChildRecord[];
  readonly sessions: readonly string[];
}

/** A record as the home has it. */
export interface RecordEntry extends Omit<StoredRecord, "claim"> {
  readonly claim?: HostEntry;
}

export type WriteCondition =
  | { readonly if: "any" }
  | { readonly if: "absent" }
  | { readonly if: "version"; readonly version: number };

/** Whether a record of a version, or none, is what a writer wants to find. */
export function meetsCondition(condition: WriteCondition, version: number | undefined): boolean {
  switch (condition.if) {
    case "any":
      return true;
    case "absent":
      return version === undefined;
    case "version":
      return version === condition.version;
  }
}

type RecordName = { readonly space: string; readonly key: string; readonly now: number };

/** For tests and metrics: how much work the disk had. */
export interface StoreStats {
  /** Appends that were committed. */
  readonly appends: number;
  /** Transactions that wrote. */
  readonly commits: number;
  /** Those of them that waited for the disk. */
  readonly syncs: number;
}

type SessionName = { readonly session: string };
type Nothing = Readonly<Record<string, never>>;

/**
 * What a store asks of the place that keeps its data, in plain strings and numbers, so that each request can cross
 * into another thread or another machine. Each takes effect whole or not at all.
 */
export interface StoreOperations {
  create(request: SessionDraft): boolean;
  append(request: EncodedAppend): AppendOutcome;
  read(request: SessionName & { readonly after: number; readonly limit: number }): Snapshot | undefined;
  readBefore(
    request: SessionName & { readonly before: number; readonly limit: number },
  ): readonly StoredRow[];
  findSession(request: SessionName): SessionEntry | undefined;
  list(request: ListQuery): readonly SessionEntry[];
  /** Folds the next rows of a session whose state is stale; `true` at the end of its log. */
  rebuildState(request: SessionName): boolean;
  /** Stores what `rebuildState` folded. */
  saveRebuiltState(request: SessionName): void;
  branch(request: SessionDraft & { readonly from: string; readonly head: Head }): boolean;
  /** Removes a session that nobody else holds, or the host `holder`, which is known to be dead. */
  remove(request: SessionName & { readonly holder: string | undefined }): {
    readonly removed: boolean;
    readonly holder?: HostEntry;
  };
  /** Deletes some of what removed sessions left behind; `false` when nothing is left. */
  purge(request: Nothing): boolean;

  watch(request: SessionName): void;
  unwatch(request: SessionName): void;

  /** Hands a command to the session's holder; `undefined` when nobody holds it. */
  send(request: { readonly command: Command; readonly now: number }): HostEntry | undefined;
  /** From now on commands to sessions of this host are handed out. */
  listen(request: Nothing): void;
  answer(request: { readonly results: readonly CommandResult[] }): void;
  /** Who will answer a command: who took it, else who holds its session. */
  answerer(request: { readonly id: string }): HostEntry | undefined;
  /**
   * Takes a command back, with its answer if there is one. Unless forced, one that another host than `from` has
   * taken stays, and `open` is true.
   */
  withdraw(request: { readonly id: string; readonly from: string | undefined; readonly force: boolean }): {
    readonly open: boolean;
    readonly result?: CommandResult;
  };

  /** Shows that this host lives; `false` when it holds nothing, and nobody needs to know. */
  beat(request: { readonly now: number }): boolean;
  hosts(request: Nothing): readonly HostHoldings[];
  forgetHost(request: { readonly host: string }): void;
  /** Takes a lease from a host that was dead at its `beat`. */
  takeOver(
    request: SessionName & { readonly from: string; readonly beat: number },
  ): { readonly fence: number; readonly reserved: number } | undefined;
  holder(request: SessionName): HostEntry | undefined;
  recordChild(request: ChildRecord): void;
  forgetChild(request: { readonly pid: number }): void;

  readRecord(request: RecordName): RecordEntry | undefined;
  /** `entry` is what is there afterwards; a version that is no longer there gives the draft as it would have been. */
  writeRecord(request: {
    readonly draft: RecordDraft;
    readonly condition: WriteCondition;
    readonly now: number;
  }): { readonly written: boolean; readonly entry: RecordEntry };
  removeRecord(request: RecordName & { readonly version?: number }): boolean;
  listRecords(request: RecordQuery & { readonly now: number }): readonly RecordEntry[];
  renewRecord(request: RecordName & { readonly expiresAt: number }): boolean;
  trimRecords(request: { readonly space: string; readonly keep: number }): number;
  /** Claims due records that nobody works on, or a host of `dead`; `holders` work on others that are due. */
  claimRecords(request: {
    readonly space: string;
    readonly limit: number;
    readonly now: number;
    readonly dead: readonly string[];
  }): { readonly entries: readonly RecordEntry[]; readonly holders: readonly HostEntry[] };
  /** Deletes some of the records that have expired; `false` when none is left. */
  expireRecords(request: { readonly now: number }): boolean;

  /** Keeps a blob that no row names yet from being cleaned away. */
  claimBlob(request: { readonly hash: string; readonly now: number }): void;
  /** Deletes what nobody waits for any more: old commands, claims and, shard by shard, blobs without a name. */
  sweep(request: { readonly now: number; readonly shard: string }): void;
  stats(request: Nothing): StoreStats;
}

export type StoreOperationName = keyof StoreOperations;

/** What a backend tells without being asked. */
export type StoreEvent =
  | { readonly type: "moved"; readonly session: string }
  | { readonly type: "command"; readonly command: Command }
  /** A command that this host sent is answered, or nobody is left to answer it. */
  | { readonly type: "settled"; readonly id: string };

/** The place that keeps a store's data: a thread with a database, or this process's memory. */
export interface StoreBackend {
  call<K extends StoreOperationName>(
    name: K,
    request: Parameters<StoreOperations[K]>[0],
  ): Promise<ReturnType<StoreOperations[K]>>;
  /** Ends this host's part in the home. What it still holds is left as a dead host leaves it. */
  close(): Promise<void>;
}
