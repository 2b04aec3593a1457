import type { Clock } from "../../shared/async/clock.ts";
import type { Owner, RecordDraft, RecordQuery, Records, StoredRecord } from "../../core/index.ts";
import type { StoreBackend, HostEntry, RecordEntry, WriteCondition } from "./operations.ts";

export interface RecordClientPorts {
  readonly backend: StoreBackend;
  readonly clock: Clock;
  /** Judges whether who claimed a record lives. */
  readonly judge: (host: HostEntry) => Owner;
  /** This host claims something now. */
  readonly claimed: () => void;
}

/** The records of a home: says when now is and who lives, and leaves the rest to the backend. */
export class RecordClient implements Records {
  readonly #ports: RecordClientPorts;

  constructor(ports: RecordClientPorts) {
    this.#ports = ports;
  }

  async get(space: string, key: string): Promise<StoredRecord | undefined> {
    const entry = await this.#ports.backend.call("readRecord", { space, key, now: this.#now() });
    return entry && this.#record(entry);
  }

  async add(draft: RecordDraft): Promise<{ readonly added: boolean; readonly record: StoredRecord }> {
    const { written, entry } = await this.#write(draft, { if: "absent" });
    return { added: written, record: this.#record(entry) };
  }

  async put(draft: RecordDraft): Promise<StoredRecord> {
    const { entry } = await this.#write(draft, { if: "any" });
    return this.#record(entry);
  }

  async replace(draft: RecordDraft, version: number): Promise<StoredRecord | undefined> {
    const { written, entry } = await this.#write(draft, { if: "version", version });
    return written ? this.#record(entry) : undefined;
  }

  remove(space: string, key: string, version?: number): Promise<boolean> {
    const only = version === undefined ? {} : { version };
    return this.#ports.backend.call("removeRecord", { space, key, now: this.#now(), ...only });
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
    const dead: string[] = [];
    for (;;) {
      const request = { space, limit, now: this.#now(), dead: [...dead] };
      const { entries, holders } = await backend.call("claimRecords", request);
      if (entries.length > 0) claimed();
      const gone = holders.filter((host) => !dead.includes(host.id) && !judge(host).alive);
      // What dead processes had claimed is free, if there is still room for it.
      if (gone.length === 0 || entries.length >= limit) return entries.map((entry) => this.#record(entry));
      dead.push(...gone.map(({ id }) => id));
      if (entries.length > 0) {
        const rest = await this.claimDue(space, limit - entries.length);
        return [...entries.map((entry) => this.#record(entry)), ...rest];
      }
    }
  }

  async #write(
    draft: RecordDraft,
    condition: WriteCondition,
  ): Promise<{ readonly written: boolean; readonly entry: RecordEntry }> {
    const { backend, claimed } = this.#ports;
    const answer = await backend.call("writeRecord", { draft, condition, now: this.#now() });
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
