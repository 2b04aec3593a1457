import type { Owner } from "../state/status.ts";

/** A record as it is written. */
export interface RecordDraft {
  /** Records of one kind; keys are unique in it. */
  readonly space: string;
  readonly key: string;
  /** The record or thing that it belongs to, for lists. */
  readonly parent?: string;
  /** JSON. */
  readonly value: string;
  /** Unix milliseconds from which `claimDue` hands it out; never by default. */
  readonly dueAt?: number;
  /** Unix milliseconds from which it is not there any more; it stays by default. */
  readonly expiresAt?: number;
  /** This process works on it, until it writes it without this, removes it, or dies. */
  readonly claim?: boolean;
}

/** A small durable value that is in no session's log, such as a run, a job or a delivery. */
export interface StoredRecord extends Omit<RecordDraft, "claim"> {
  /** Rises with every write. */
  readonly version: number;
  /** Rises with every record that is added: the order of lists. */
  readonly position: number;
  /** The process that works on it. */
  readonly claim?: Owner;
}

/** The choice of records of a space. */
export interface RecordQuery {
  readonly space: string;
  readonly parent?: string;
  /** Only keys that begin so. */
  readonly prefix?: string;
  readonly newestFirst?: boolean;
  /** Only records that come after this position in the order asked for. */
  readonly after?: number;
  readonly limit: number;
}

/**
 * Records of one home, shared by its processes. Whatever changes one resolves after that is safe from the loss of
 * power, except `renew`, which survives the process. An expired record is not there, for nobody.
 */
export interface Records {
  /** This process in the claims of records. */
  readonly hostId: string;
  /** @throws HostError `store_corrupt` when what is there is not what was written */
  get(space: string, key: string): Promise<StoredRecord | undefined>;
  /** Adds a record unless its key is taken; gives the one that is there then. */
  add(draft: RecordDraft): Promise<{ readonly added: boolean; readonly record: StoredRecord }>;
  /** Writes a record, whether or not there is one. */
  put(draft: RecordDraft): Promise<StoredRecord>;
  /** Writes a record if it still has this version; `undefined` when it has not, and nothing changed. */
  replace(draft: RecordDraft, version: number): Promise<StoredRecord | undefined>;
  /** @param version - only if it still has this one */
  remove(space: string, key: string, version?: number): Promise<boolean>;
  /** In the order in which they were added. Damaged ones are left out. */
  list(query: RecordQuery): Promise<readonly StoredRecord[]>;
  /** Lets a record expire later, or sooner; its version stays. */
  renew(space: string, key: string, expiresAt: number): Promise<boolean>;
  /** Removes records of a space until at most `keep` are left, those first that would expire first. */
  trim(space: string, keep: number): Promise<number>;
  /** Claims records that are due and that no living process works on, the longest due first. Each goes to one process. */
  claimDue(space: string, limit: number): Promise<readonly StoredRecord[]>;
}
