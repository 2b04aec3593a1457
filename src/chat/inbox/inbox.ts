import type { RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { releaseClaims } from "./release-claims.ts";
import { type ChatPlace, placeKey } from "../port/place.ts";
import { type AcceptedEvent, entryId, type EntryStatus, type InboxEntry, isOver } from "./entry.ts";

/** An entry that failed can be replayed for so long. */
const FAILED_MS = 30 * 24 * 3_600_000;
/** An answer can be judged by a thumb for so long. */
const ANSWERED_MS = 7 * 24 * 3_600_000;
const SCANNED = 5000;
const TRIES = 5;

/** The choice of entries for a list. */
export interface EntryQuery {
  readonly status?: EntryStatus;
  readonly limit: number;
}

/**
 * The accepted events of a chat platform, as records. One record is the event, its platform's id and its prompt: it is
 * there whole or not at all, and an event that is sent again finds it.
 */
export class Inbox {
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #platform: string;
  /** The records of entries that are being worked on, as they were last seen: most changes need not read first. */
  readonly #known = new Map<string, StoredRecord>();

  constructor(records: Records, clock: Clock, platform: string) {
    this.#records = records;
    this.#clock = clock;
    this.#platform = platform;
  }

  /**
   * Accepts an event; safe from the loss of power when it resolves. `undefined` when it is there already.
   *
   * @param claim - this process works on it
   */
  async accept(
    event: AcceptedEvent,
    { claim }: { readonly claim: boolean },
  ): Promise<InboxEntry | undefined> {
    const platform = this.#platform;
    const id = entryId(platform, event.eventId);
    const acceptedAt = this.#clock.now();
    const entry: InboxEntry = { id, platform, event, acceptedAt, status: "accepted", run: 1 };
    const { added } = await this.#records.add({ ...this.#draft(entry, 0), claim });
    return added ? entry : undefined;
  }

  async get(id: string): Promise<InboxEntry | undefined> {
    const record = await this.#records.get(this.#space, id);
    return record && entryOf(record);
  }

  /**
   * Changes an entry, which this process goes on working on unless it is over.
   *
   * @param change - gives the changed entry, or nothing to leave it; told who works on it
   * @param repeatsMs - milliseconds for which the platform may send its event again
   */
  async change(
    id: string,
    change: (entry: InboxEntry, claim: StoredRecord["claim"]) => InboxEntry | undefined,
    { repeatsMs }: { readonly repeatsMs: number },
  ): Promise<InboxEntry | undefined> {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const record = this.#known.get(id) ?? (await this.#records.get(this.#space, id));
      if (record === undefined) return undefined;
      const changed = change(entryOf(record), record.claim);
      if (changed === undefined) return entryOf(record);
      const draft = { ...this.#draft(changed, repeatsMs), ...(isOver(changed) ? {} : { claim: true }) };
      const replaced = await this.#records.replace(draft, record.version);
      if (replaced === undefined || isOver(changed)) this.#known.delete(id);
      else this.#known.set(id, replaced);
      if (replaced !== undefined) return changed;
    }
    throw new HostError("conflict", `The message ${id} is being changed by others.`);
  }

  /** Claims entries that no living process works on, the oldest first. */
  async claimDue(limit: number): Promise<readonly InboxEntry[]> {
    return (await this.#records.claimDue(this.#space, limit)).map(entryOf);
  }

  /** The newest first. */
  async list({ status, limit }: EntryQuery): Promise<readonly InboxEntry[]> {
    const query = { space: this.#space, newestFirst: true, limit: SCANNED };
    return (await this.#records.list(query))
      .map(entryOf)
      .filter((entry) => status === undefined || entry.status === status)
      .slice(0, limit);
  }

  /** The newest entries of a place. */
  async inPlace(place: ChatPlace, limit: number): Promise<readonly InboxEntry[]> {
    const query = { space: this.#space, parent: placeKey(place), newestFirst: true, limit };
    return (await this.#records.list(query)).map(entryOf);
  }

  /** Begins an entry that is over once more. @throws HostError `not_found`, `conflict` */
  async replay(id: string): Promise<InboxEntry> {
    const record = await this.#records.get(this.#space, id);
    if (record === undefined) throw new HostError("not_found", `There is no message ${id}.`);
    const entry = entryOf(record);
    if (!isOver(entry)) throw new HostError("conflict", `The message ${id} is being answered.`);
    const { id: _id, platform, event, acceptedAt, run } = entry;
    const again: InboxEntry = { id, platform, event, acceptedAt, run: run + 1, status: "accepted" };
    const replaced = await this.#records.replace(this.#draft(again, 0), record.version);
    if (replaced === undefined)
      throw new HostError("conflict", `The message ${id} is being changed by others.`);
    return again;
  }

  /** Lets go of the entries that this host works on; nothing of them may be in flight any more. */
  release(hostId: string): Promise<void> {
    return releaseClaims(this.#records, this.#space, hostId);
  }

  get #space(): string {
    return `chat.inbox.${this.#platform}`;
  }

  #draft(entry: InboxEntry, repeatsMs: number): RecordDraft {
    const { id, acceptedAt, endedAt = acceptedAt, event } = entry;
    const base = { space: this.#space, key: id, parent: placeKey(event.place), value: JSON.stringify(entry) };
    if (!isOver(entry)) return { ...base, dueAt: acceptedAt };
    const keptMs = entry.status === "failed" ? FAILED_MS : ANSWERED_MS;
    return { ...base, expiresAt: endedAt + Math.max(keptMs, repeatsMs) };
  }
}

// Only this file writes this space.
const entryOf = ({ value }: StoredRecord): InboxEntry => JSON.parse(value) as InboxEntry;
