import type { Clock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Owner, RecordDraft, RecordQuery, Records, StoredRecord } from "../../core/index.ts";
import type { StoreBackend, HostEntry, RecordEntry } from "./operations.ts";

/** The parts that a record client needs. */
export interface RecordClientPorts {
  readonly hostId: string;
  readonly backend: StoreBackend;
  readonly clock: Clock;
  /** Judges whether the host that claimed a record lives. */
  readonly judge: (host: HostEntry) => Owner;
  /** Is called when this host has claimed a record. */
  readonly claimed: () => void;
}

/** The records of a home over a backend: adds the time and who lives. */
export class RecordClient implements Records {
  readonly hostId: string;
  readonly #ports: RecordClientPorts;

  constructor(ports: RecordClientPorts) {
    this.hostId = ports.hostId;
    this.#ports = ports;
  }

  async get(space: string, key: string): Promise<StoredRecord | undefined> {
    const entry = await this.#ports.backend.call("readRecord", { space, key, now: this.#now() });
    return entry && this.#record(entry);
  }

  async add(draft: RecordDraft): Promise<{ readonly added: boolean; readonly record: StoredRecord }> {
    const { written, entry } = await this.#write(draft, 0);
    return { added: written, record: this.#record(entry) };
  }

  async put(draft: RecordDraft): Promise<StoredRecord> {
    const { entry } = await this.#write(draft);
    return this.#record(entry);
  }

  async replace(draft: RecordDraft, version: number): Promise<StoredRecord | undefined> {
    const { written, entry } = await this.#write(draft, version);
    return written ? this.#record(entry) : undefined;
  }

  remove(space: string, key: string, version?: number): Promise<boolean> {
    return this.#ports.backend.call("removeRecord", defined({ space, key, now: this.#now(), version }));
  }

  async list(query: RecordQuery): Promise<readonly StoredRecord[]> {
    const entries = await this.#ports.backend.call("listRecords", { ...query, now: this.#now() });
    return entries.map((entry) => this.#record(entry));
  }

  renew(space: string, key: string, expiresAt: number): Promise<boolean> {
    return this.#ports.backend.call("renewRecord", { space, key, expiresAt, now: this.#now() });
  }

  trim(space: string, keep: number): Promise<number> {
    return this.#ports.backend.call("trimRecords", { space, keep });
  }

  async claimDue(space: string, limit: number): Promise<readonly StoredRecord[]> {
    const { backend, judge, claimed } = this.#ports;
    const found: RecordEntry[] = [];
    const dead: string[] = [];
    for (;;) {
      const request = { space, limit: limit - found.length, now: this.#now(), dead: [...dead] };
      const { entries, holders } = await backend.call("claimRecords", request).catch((thrown: unknown) => {
        // What was claimed before has to be worked on.
        if (found.length === 0) throw thrown;
        return { entries: [], holders: [] };
      });
      if (entries.length > 0) claimed();
      found.push(...entries);
      const gone = holders.filter((host) => !dead.includes(host.id) && !judge(host).alive);
      // Records that dead processes had claimed are free, up to the limit.
      if (gone.length === 0 || found.length >= limit)
        return found.sort(longestDueFirst).map((entry) => this.#record(entry));
      dead.push(...gone.map(({ id }) => id));
    }
  }

  async #write(
    draft: RecordDraft,
    version?: number,
  ): Promise<{ readonly written: boolean; readonly entry: RecordEntry }> {
    const { backend, claimed } = this.#ports;
    const answer = await backend.call("writeRecord", defined({ draft, version, now: this.#now() }));
    if (answer.written && draft.claim === true) claimed();
    return answer;
  }

  #now(): number {
    return this.#ports.clock.now();
  }

  #record({ claim, ...record }: RecordEntry): StoredRecord {
    return claim === undefined ? record : { ...record, claim: this.#ports.judge(claim) };
  }
}

/** What was free at first is not the oldest of all when the rest was taken from the dead. */
const longestDueFirst = (a: RecordEntry, b: RecordEntry): number =>
  (a.dueAt ?? 0) - (b.dueAt ?? 0) || a.position - b.position;
