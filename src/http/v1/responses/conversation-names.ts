import type { Host, RecordDraft, Records, StoredRecord } from "../../../core/index.ts";
import { sleep } from "../../../shared/async/clock.ts";

/** A name in which this process alone lets a response begin, until it says for which one the name stands. */
export interface ClaimedName {
  readonly name: string;
  /** The id of the newest response, if there is one. */
  readonly response: string | undefined;
  readonly version: number;
}

const SPACE = "http.conversations";
const KEPT_MS = 30 * 24 * 60 * 60_000;
const POLL_MS = 50;
/** Who has not begun by then could not say that it gave up. */
const PATIENCE_MS = 30_000;

/** The names of conversations, for 30 days after their last use: each stands for the newest response that begins in it. */
export class ConversationNames {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  get #records(): Records {
    return this.#host.services.store.records;
  }

  /** The id of the newest response of a conversation. */
  async responseOf(name: string): Promise<string | undefined> {
    return responseIn(await this.#records.get(SPACE, name));
  }

  /** Waits until no other process lets a response begin in a conversation. @throws the reason of `signal` */
  async claim(name: string, signal: AbortSignal): Promise<ClaimedName> {
    const { clock } = this.#host.services;
    let [since, seen] = [clock.monotonic(), 0];
    for (;;) {
      const record = await this.#records.get(SPACE, name);
      if (record?.version !== seen) [since, seen] = [clock.monotonic(), record?.version ?? 0];
      if (!this.#isTaken(record) || clock.monotonic() - since >= PATIENCE_MS) {
        const response = responseIn(record);
        const claimed = await this.#write({ name, response, version: record?.version ?? 0 }, true);
        if (claimed !== undefined) return { name, response, version: claimed.version };
      } else await sleep(clock, POLL_MS, signal);
      signal.throwIfAborted();
    }
  }

  /** Lets a name stand for a response; the next one may begin. */
  async put({ name, version }: ClaimedName, response: string): Promise<void> {
    const isWritten = (await this.#write({ name, response, version }, false)) !== undefined;
    // Somebody has dropped the name meanwhile; where another process has it, that one goes on.
    if (!isWritten) await this.#write({ name, response, version: 0 }, false);
  }

  /** Leaves a name as it was: the response did not begin. */
  async release(claimed: ClaimedName): Promise<void> {
    const { name, response, version } = claimed;
    if (response === undefined) await this.#records.remove(SPACE, name, version);
    else await this.#write(claimed, false);
  }

  /** Forgets a name; its responses stay. @param response - only if it stands for this one */
  async drop(name: string, response?: string): Promise<void> {
    if (response === undefined) return void (await this.#records.remove(SPACE, name));
    const record = await this.#records.get(SPACE, name);
    if (record?.value === response) await this.#records.remove(SPACE, name, record.version);
  }

  /** One that this process has is free: its responses come one after the other. */
  #isTaken(record: StoredRecord | undefined): boolean {
    const holder = record?.claim;
    return holder?.alive === true && holder.hostId !== this.#records.hostId;
  }

  async #write({ name, response, version }: ClaimedName, claim: boolean): Promise<StoredRecord | undefined> {
    const expiresAt = this.#host.services.clock.now() + KEPT_MS;
    const draft: RecordDraft = { space: SPACE, key: name, value: response ?? "", expiresAt, claim };
    if (version > 0) return await this.#records.replace(draft, version);
    const { added, record } = await this.#records.add(draft);
    return added ? record : undefined;
  }
}

/** The first response of a conversation is about to begin where it is empty. */
const responseIn = (record: StoredRecord | undefined): string | undefined =>
  record === undefined || record.value === "" ? undefined : record.value;
