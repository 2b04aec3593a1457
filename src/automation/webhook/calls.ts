import type { RecordDraft, RecordQuery, Records, StoredRecord } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { RecordSpace } from "../work/record-space.ts";

type CallStatus = "accepted" | "completed" | "failed" | "delivered" | "cancelled";

/** A call that was accepted. Times are Unix milliseconds. */
export interface WebhookCall {
  /** Made of route and delivery id. */
  readonly key: string;
  readonly route: string;
  readonly event: string;
  readonly deliveryId: string;
  /** Of the sender's proof: what carries the same one again is the same delivery, whatever its id says. */
  readonly signature?: string;
  readonly acceptedAt: number;
  readonly status: CallStatus;
  /** The prompt of the agent, or the text that is delivered as it is. */
  readonly prompt: string;
  readonly sessionId: string;
  /** No run: the prompt is the message. */
  readonly direct: boolean;
  /** The caller waits for the answer: it is delivered only when it comes too late, and only to a named target. */
  readonly waits: boolean;
  readonly late?: boolean;
  readonly deliver: string;
  readonly deliverExtra: Readonly<Record<string, string>>;
  readonly callbackUrl?: string;
  readonly toolsets?: readonly string[];
  readonly endedAt?: number;
  readonly response?: string;
  readonly error?: string;
  /** Why the answer could not be sent anywhere. */
  readonly deliveryError?: string;
}

/** Whether the call is over. */
export const isCallSettled = ({ status }: WebhookCall): boolean => status !== "accepted";

const SPACE = "webhook.call";
/** Which call came with a signature. */
const SIGNATURES = "webhook.signature";
/** Within this time a call follows its signature into the store, or its process died. */
const FOLLOWS_MS = 10_000;
/** A delivery id that comes again within an hour is the same delivery. */
const SAME_FOR_MS = 3_600_000;
const KEPT_MS = 7 * 24 * 3_600_000;
const TRIES = 20;

/** The accepted calls of a home, as records: a call is answered with a 2xx only when it is here. */
export class WebhookCalls extends RecordSpace<WebhookCall> {
  readonly #records: Records;

  constructor(records: Records) {
    super(records, { space: SPACE, name: "The call", encode: draftOf });
    this.#records = records;
  }

  /**
   * Takes a call unless it is there already; durable when it resolves.
   *
   * @param claim - this process carries it out
   * @returns `false` for a delivery that was accepted within the last hour, under this id or with this signature
   * @throws HostError `store_unavailable` while it is not known whether another one with this signature is taken
   */
  async accept(call: WebhookCall, claim: boolean): Promise<boolean> {
    if (!(await this.#isNewSignature(call))) return false;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const { added, record } = await this.#records.add({ ...draftOf(call), claim });
      if (added) return true;
      const known = this.read(record);
      if (!isCallSettled(known) || known.acceptedAt + SAME_FOR_MS > call.acceptedAt) return false;
      await this.#moveAside(known, record.version);
    }
    throw new HostError("conflict", `The delivery ${call.deliveryId} is being changed by others.`);
  }

  /** The newest first; the parent of a call is its route. */
  override list(query: Omit<RecordQuery, "space">): Promise<readonly WebhookCall[]> {
    return super.list({ ...query, newestFirst: true });
  }

  /** Frees the id of a call that failed before any effect, so that its sender can try again; the record stays. */
  async release(key: string): Promise<void> {
    const record = await this.#records.get(SPACE, key);
    if (record === undefined) return;
    const call = this.read(record);
    await this.#moveAside(call, record.version);
    if (call.signature !== undefined) await this.#records.remove(SIGNATURES, signatureKey(call));
  }

  async #isNewSignature(call: WebhookCall): Promise<boolean> {
    if (call.signature === undefined) return true;
    const { acceptedAt, key } = call;
    const draft: RecordDraft = {
      space: SIGNATURES,
      key: signatureKey(call),
      value: JSON.stringify({ key, acceptedAt } satisfies Signed),
      expiresAt: acceptedAt + SAME_FOR_MS,
    };
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const { added, record } = await this.#records.add(draft);
      if (added) return true;
      const first = signedOf(record);
      if (first.key === key) return true;
      if (first.acceptedAt + SAME_FOR_MS > acceptedAt) {
        if ((await this.get(first.key)) !== undefined) return false;
        if (first.acceptedAt + FOLLOWS_MS > acceptedAt)
          throw new HostError("store_unavailable", "Another delivery with this signature is being taken.");
      }
      if ((await this.#records.replace(draft, record.version)) !== undefined) return true;
    }
    throw new HostError("conflict", `The delivery ${call.deliveryId} is being changed by others.`);
  }

  async #moveAside(call: WebhookCall, version: number): Promise<void> {
    await this.#records.add(draftOf({ ...call, key: `${call.key}\n${call.acceptedAt}` }));
    await this.#records.remove(SPACE, call.key, version);
  }
}

function draftOf(call: WebhookCall): RecordDraft {
  const base = { space: SPACE, key: call.key, parent: call.route, value: JSON.stringify(call) };
  if (isCallSettled(call)) return { ...base, expiresAt: (call.endedAt ?? call.acceptedAt) + KEPT_MS };
  return { ...base, dueAt: call.acceptedAt, claim: true };
}

/** The call that came with a signature. */
type Signed = Pick<WebhookCall, "key" | "acceptedAt">;

const signatureKey = ({ route, signature = "" }: WebhookCall): string => `${route}\n${signature}`;

// Only this file writes this space.
const signedOf = ({ value }: StoredRecord): Signed => JSON.parse(value) as Signed;
