import { createHash } from "node:crypto";
import type { Host, StoredRecord } from "../../core/index.ts";
import { canonicalJson, isJsonObject } from "../../shared/json/json.ts";
import { sleep } from "../../shared/async/clock.ts";
import type { HttpContext } from "../server/context.ts";
import { HttpError } from "../server/http-error.ts";
import { type TurnAnswer, foldTurnAnswer } from "./turn-answer.ts";
import { readTurn, type TurnRef } from "./turn-ref.ts";

/** What a client was told of work that it started; JSON. With it, the same answer can be given again. */
export interface Receipt {
  readonly ref: TurnRef;
}

export interface IdempotentRequest<T extends Receipt> {
  /** Keys of different routes are different keys. */
  readonly route: string;
  /** All that makes it this request and no other. */
  readonly fingerprint: unknown;
  readonly receipt: T;
  /** A turn that was stopped is begun anew, as one is that failed before it did anything. */
  readonly retryStopped: boolean;
}

const SPACE = "http.keys";
const KEPT_MS = 24 * 60 * 60_000;
const PATIENCE_MS = 10_000;
const POLL_MS = 50;

/** Lets work with one `Idempotency-Key` begin once: whoever comes later gets the same receipt. */
export class IdempotencyStore {
  readonly #host: Host;
  readonly #scope: string;
  /** Work that this process is about to begin. */
  readonly #starting = new Map<string, Promise<unknown>>();

  /** @param apiKey - keys belong to it; it is not stored */
  constructor(host: Host, apiKey: string) {
    this.#host = host;
    this.#scope = sha256(apiKey);
  }

  /**
   * Begins work unless its key has begun it already.
   *
   * @param start - begins it; it may give another receipt than the planned one
   * @throws HttpError 400 `invalid_idempotency_key`, 409 `idempotency_key_conflict`
   */
  async once<T extends Receipt>(
    c: HttpContext,
    request: IdempotentRequest<T>,
    start: (receipt: T) => Promise<T>,
  ): Promise<{ readonly receipt: T; readonly replayed: boolean }> {
    const given = keyOf(c);
    if (given === undefined) return { receipt: await start(request.receipt), replayed: false };
    const key = sha256([this.#scope, request.route, given].join("\n"));
    const fingerprint = sha256(canonicalJson(request.fingerprint));
    const { clock } = this.#host.services;
    for (const deadline = clock.monotonic() + PATIENCE_MS; ;) {
      const own = await this.#claim(key, { fingerprint, receipt: request.receipt });
      if (own.added)
        return {
          receipt: await this.#start(own.record, { fingerprint, receipt: request.receipt }, start),
          replayed: false,
        };
      const known = parseEntry<T>(own.record);
      if (known.fingerprint !== fingerprint) throw conflict();
      const starting = this.#starting.get(key);
      if (starting !== undefined) {
        // Its receipt may be another one then.
        await starting.catch(() => undefined);
        continue;
      }
      const state = await this.#stateOf(known.receipt.ref, request.retryStopped);
      if (state === "begun") return { receipt: known.receipt, replayed: true };
      const isStarting = state === "absent" && own.record.claim?.alive === true;
      if (!isStarting) await this.#host.services.store.records.remove(SPACE, key, own.record.version);
      else if (clock.monotonic() > deadline)
        throw new HttpError(409, "The first request with this key is still being taken on.", {
          code: "idempotency_key_in_use",
        });
      else await sleep(clock, POLL_MS, c.req.raw.signal);
    }
  }

  #claim(
    key: string,
    entry: Entry<Receipt>,
  ): Promise<{ readonly added: boolean; readonly record: StoredRecord }> {
    const { store, clock } = this.#host.services;
    const value = encodeEntry(entry);
    return store.records.add({ space: SPACE, key, value, claim: true, expiresAt: clock.now() + KEPT_MS });
  }

  async #start<T extends Receipt>(
    record: StoredRecord,
    { fingerprint, receipt }: Entry<T>,
    start: (receipt: T) => Promise<T>,
  ): Promise<T> {
    const { records } = this.#host.services.store;
    const { key, version } = record;
    const starting = start(receipt);
    this.#starting.set(key, starting);
    try {
      const final = await starting;
      if (final === receipt) return final;
      const value = encodeEntry({ fingerprint, receipt: final });
      await records.replace({ ...draftOf(record), value }, version);
      return final;
    } catch (thrown) {
      await records.remove(SPACE, key, version);
      throw thrown;
    } finally {
      this.#starting.delete(key);
    }
  }

  /** `void`: it failed before anything was done, so that it may be begun again. */
  async #stateOf(ref: TurnRef, retryStopped: boolean): Promise<"begun" | "absent" | "void"> {
    if ((await this.#host.record(ref.sessionId)) === undefined) return "absent";
    const session = await this.#host.session(ref.sessionId);
    const answer = foldTurnAnswer(await readTurn(session, ref));
    if (answer.outcome !== undefined) return mayRepeat(answer, retryStopped) ? "void" : "begun";
    const { turn, queue } = await session.refresh();
    const waits = queue.some(({ prompt }) => prompt.id === ref.promptId);
    return answer.turnId !== undefined || waits || turn?.prompt.id === ref.promptId ? "begun" : "absent";
  }
}

interface Entry<T> {
  readonly fingerprint: string;
  readonly receipt: T;
}

function mayRepeat({ outcome, effects }: TurnAnswer, retryStopped: boolean): boolean {
  if (effects || outcome === "completed") return false;
  return outcome !== "cancelled" || retryStopped;
}

/** @throws HttpError 400 */
function keyOf(c: HttpContext): string | undefined {
  const key = c.req.header("idempotency-key")?.trim() ?? "";
  if (key === "") return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new HttpError(400, "An Idempotency-Key has 1 to 255 visible ASCII characters.", {
    code: "invalid_idempotency_key",
    param: "Idempotency-Key",
  });
}

const conflict = (): HttpError =>
  new HttpError(409, "This Idempotency-Key was used for another request; use a new key for each request.", {
    code: "idempotency_key_conflict",
    param: "Idempotency-Key",
  });

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function draftOf({ space, key, expiresAt }: StoredRecord) {
  return { space, key, claim: true, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

/** The stored form; older versions wrote the receipt under this key too. */
const encodeEntry = ({ fingerprint, receipt }: Entry<Receipt>): string =>
  JSON.stringify({ fingerprint, ticket: receipt });

function parseEntry<T>({ value }: StoredRecord): Entry<T> {
  const entry: unknown = JSON.parse(value);
  if (!isJsonObject(entry) || !isJsonObject(entry["ticket"]))
    throw new Error("An idempotency record is damaged.");
  // Written by the same route's `once`: the route is part of the record's key.
  return { fingerprint: String(entry["fingerprint"]), receipt: entry["ticket"] as unknown as T };
}
