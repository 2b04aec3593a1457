import type {
  ChildRecord,
  Command,
  CommandResult,
  Piece,
  RecordDraft,
  StoredRow,
} from "../../../core/index.ts";
import type { HostFacts } from "../operations.ts";
import type { StateEntry } from "../state-entry.ts";

export interface MemorySession {
  /** Rises with every session made. */
  readonly key: number;
  readonly id: string;
  readonly rows: StoredRow[];
  pieces: Piece[];
  state: StateEntry;
  holder: string | undefined;
  fence: number;
  reserved: number;
  readonly blobs: Set<string>;
}

export interface MemoryHostLine {
  readonly identity: Omit<HostFacts, "beat" | "ended">;
  beat: number;
  ended: boolean;
  readonly children: Map<number, ChildRecord>;
}

export interface MemoryCommand {
  readonly command: Command;
  taken: string | undefined;
  result: CommandResult | undefined;
}

export interface MemoryRecord {
  draft: RecordDraft;
  version: number;
  readonly position: number;
  /** The host that works on it. */
  claim: string | undefined;
}

/** What processes that share a home share, kept in one process's memory. */
export class HomeData {
  readonly sessions = new Map<string, MemorySession>();
  readonly hosts = new Map<string, MemoryHostLine>();
  readonly commands: MemoryCommand[] = [];
  readonly records = new Map<string, MemoryRecord>();
  readonly blobs = new Map<string, Uint8Array>();
  /** Which host is about to name a blob, how many times, and since when. */
  readonly claims = new Map<string, Map<string, { readonly at: number; readonly count: number }>>();
  readonly #listeners = new Set<(by: string) => void>();
  #count = 0;

  /** A number that was never given out before. */
  nextNumber(): number {
    this.#count += 1;
    return this.#count;
  }

  /** Calls `changed` after each change, with the id of the host that made it. */
  onChange(changed: (by: string) => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  changed(by: string): void {
    for (const listener of this.#listeners) listener(by);
  }

  /** The line of a host. One that is not known any more has been buried. */
  hostFacts(id: string): HostFacts {
    const line = this.hosts.get(id);
    if (line !== undefined) return { ...line.identity, beat: line.beat, ended: line.ended };
    return { id, pid: 0, startedAt: "", bootId: "", pidNamespace: "", machineId: "", beat: 0, ended: true };
  }

  holderOf(session: MemorySession): HostFacts | undefined {
    return session.holder === undefined ? undefined : this.hostFacts(session.holder);
  }

  /** Whether neither a session names a blob nor a host is about to. */
  isFree(hash: string): boolean {
    if ((this.claims.get(hash)?.size ?? 0) > 0) return false;
    for (const { blobs } of this.sessions.values()) if (blobs.has(hash)) return false;
    return true;
  }
}
