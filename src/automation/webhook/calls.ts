import type { RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** What became of an accepted call. */
type CallStatus = "accepted" | "completed" | "failed" | "delivered" | "cancelled";

/** A call that was taken. Times are Unix milliseconds. */
export interface WebhookCall {
  /** Of route and delivery id. */
  readonly key: string;
  readonly route: string;
  readonly event: string;
  readonly deliveryId: string;
  readonly acceptedAt: number;
  readonly status: CallStatus;
  /** What the agent is asked, or what is delivered as it is. */
  readonly prompt: string;
  readonly sessionId: string;
  /** No run: the prompt is the message. */
  readonly direct: boolean;
  /** Somebody waits for the answer: it is delivered only when it comes too late, and only where a target is named. */
  readonly waits: boolean;
  readonly late?: boolean;
  readonly deliver: string;
  readonly deliverExtra: Readonly<Record<string, string>>;
  readonly callbackUrl?: string;
  readonly toolsets?: readonly string[];
  readonly endedAt?: number;
  readonly response?: string;
  readonly error?: string;
}

/** Nothing more will become of the call. */
export const isCallSettled = ({ status }: WebhookCall): boolean => status !== "accepted";

const SPACE = "webhook.call";
/** A delivery id that comes again within an hour is the same delivery. */
const SAME_FOR_MS = 3_600_000;
const KEPT_MS = 7 * 24 * 3_600_000;
const TRIES = 20;

/** Accepted calls as records of the home: nothing is answered with a 2xx that is not here. */
export class WebhookCalls {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /**
   * Takes a call unless it is there already; durable when it resolves.
   *
   * @param claim - this process carries it out
   * @returns `false` for a delivery that was accepted within the last hour
   */
  async accept(call: WebhookCall, claim: boolean): Promise<boolean> {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const { added, record } = await this.#records.add({ ...draftOf(call), claim });
      if (added) return true;
      const known = callOf(record);
      if (!isCallSettled(known) || known.acceptedAt + SAME_FOR_MS > call.acceptedAt) return false;
      await this.#shelve(known, record.version);
    }
    throw new HostError("conflict", `The delivery ${call.deliveryId} is being changed by others.`);
  }

  async get(key: string): Promise<WebhookCall | undefined> {
    const record = await this.#records.get(SPACE, key);
    return record && callOf(record);
  }

  /** The newest first. */
  async list(query: { readonly route?: string; readonly limit: number }): Promise<readonly WebhookCall[]> {
    const { route, limit } = query;
    const parent = route === undefined ? {} : { parent: route };
    return (await this.#records.list({ space: SPACE, newestFirst: true, limit, ...parent })).map(callOf);
  }

  /** Calls that nobody carries out, claimed for this process. */
  async claim(limit: number): Promise<readonly WebhookCall[]> {
    return (await this.#records.claimDue(SPACE, limit)).map(callOf);
  }

  /** Changes a call on its newest state; the claim stays until it is settled. @returns the call as it is now */
  async change(
    key: string,
    change: (call: WebhookCall) => WebhookCall | undefined,
  ): Promise<WebhookCall | undefined> {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const record = await this.#records.get(SPACE, key);
      if (record === undefined) return undefined;
      const known = callOf(record);
      const changed = change(known);
      if (changed === undefined) return known;
      const draft = { ...draftOf(changed), claim: !isCallSettled(changed) };
      if ((await this.#records.replace(draft, record.version)) !== undefined) return changed;
    }
    throw new HostError("conflict", `The call ${key} is being changed by others.`);
  }

  /** Frees the id of a call that failed before anything was done, so that its sender can try again; the record stays. */
  async release(key: string): Promise<void> {
    const record = await this.#records.get(SPACE, key);
    if (record !== undefined) await this.#shelve(callOf(record), record.version);
  }

  async #shelve(call: WebhookCall, version: number): Promise<void> {
    await this.#records.add(draftOf({ ...call, key: `${call.key}\n${call.acceptedAt}` }));
    await this.#records.remove(SPACE, call.key, version);
  }
}

function draftOf(call: WebhookCall): RecordDraft {
  const base = { space: SPACE, key: call.key, parent: call.route, value: JSON.stringify(call) };
  if (isCallSettled(call)) return { ...base, expiresAt: (call.endedAt ?? call.acceptedAt) + KEPT_MS };
  return { ...base, dueAt: call.acceptedAt };
}

// Only this file writes this space.
const callOf = ({ value }: StoredRecord): WebhookCall => JSON.parse(value) as WebhookCall;
