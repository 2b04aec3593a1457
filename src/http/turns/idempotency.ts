import { createHash } from "node:crypto";
import type { Host, StoredRecord } from "../../core/index.ts";
import { sleep } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import { canonicalJson, isJsonObject } from "../../shared/json/json.ts";
import type { HttpContext } from "../server/context.ts";
import { badRequest, HttpError } from "../server/http-error.ts";
import { foldTurnAnswer, type TurnAnswer } from "./turn-answer.ts";
import { readTurn, type TurnRef } from "./turn-ref.ts";

/** A receipt for work that a client started; JSON. With it, the same answer can be given again. */
export interface Receipt {
  readonly ref: TurnRef;
}

/** A request that may come with an `Idempotency-Key`. */
export interface IdempotentRequest<R extends Receipt> {
  /** Keys of different routes are different keys. */
  readonly route: string;
  /** All that makes it this request and no other. */
  readonly fingerprint: unknown;
  readonly receipt: R;
  /** A turn that was stopped begins anew, as a turn does that failed before any effect. */
  readonly retryStopped: boolean;
}

const SPACE = "http.keys";
const KEPT_MS = 24 * 60 * 60_000;
/** A request waits this long for the first one with its key to begin its turn. */
const PATIENCE_MS = 10_000;
const POLL_MS = 50;

/** The store of idempotency keys: work with one key begins once, and later requests get the receipt of the first. */
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
   * @param start - begins the work; it may give another receipt than the planned one
   * @throws HttpError 400 `invalid_idempotency_key`, 409 `idempotency_key_conflict`, `idempotency_key_in_use`, 410
   *   `session_deleted`
   */
  async once<R extends Receipt>(
    c: HttpContext,
    request: IdempotentRequest<R>,
    start: () => Promise<R>,
  ): Promise<{ readonly receipt: R; readonly replayed: boolean }> {
    const given = readKey(c);
    if (given === undefined) return { receipt: await start(), replayed: false };
    const key = sha256([this.#scope, request.route, given].join("\n"));
    const entry = { fingerprint: sha256(canonicalJson(request.fingerprint)), receipt: request.receipt };
    const { clock, store } = this.#host.services;
    for (const deadline = clock.monotonic() + PATIENCE_MS; ;) {
      const { added, record } = await store.records.add({
        space: SPACE,
        key,
        value: encodeEntry(entry),
        claim: true,
        expiresAt: clock.now() + KEPT_MS,
      });
      if (added) return { receipt: await this.#start(record, entry, start), replayed: false };
      const known = decodeEntry<R>(record);
      if (known.fingerprint !== entry.fingerprint) throw conflict();
      const starting = this.#starting.get(key);
      if (starting !== undefined) {
        // It may end with another receipt.
        await starting.catch(() => undefined);
        continue;
      }
      const state = await this.#stateOf(known.receipt.ref, request.retryStopped);
      if (state === "begun") return { receipt: known.receipt, replayed: true };
      // Whoever begins gives its claim up then: without one, what is not there was there.
      if (state === "absent" && record.claim === undefined) throw gone();
      const isStarting = state === "absent" && record.claim?.alive === true;
      if (!isStarting) await store.records.remove(SPACE, key, record.version);
      else if (clock.monotonic() > deadline)
        throw new HttpError(409, "The first request with this key is still being taken on.", {
          code: "idempotency_key_in_use",
        });
      else await sleep(clock, POLL_MS, c.req.raw.signal);
    }
  }

  async #start<R extends Receipt>(
    { key, version, expiresAt }: StoredRecord,
    { fingerprint }: Entry<R>,
    start: () => Promise<R>,
  ): Promise<R> {
    const { records } = this.#host.services.store;
    const starting = start();
    this.#starting.set(key, starting);
    try {
      const final = await starting;
      // Without a claim: it has begun.
      const value = encodeEntry({ fingerprint, receipt: final });
      await records.replace({ space: SPACE, key, value, ...defined({ expiresAt }) }, version);
      return final;
    } catch (thrown) {
      await records.remove(SPACE, key, version);
      throw thrown;
    } finally {
      this.#starting.delete(key);
    }
  }

  /** Tells how far the work of a receipt is; `void`: it failed before any effect, so that it may begin again. */
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

interface Entry<R> {
  readonly fingerprint: string;
  readonly receipt: R;
}

function mayRepeat({ outcome, effects }: TurnAnswer, retryStopped: boolean): boolean {
  if (effects || outcome === "completed") return false;
  return outcome !== "cancelled" || retryStopped;
}

/** @throws HttpError 400 */
function readKey(c: HttpContext): string | undefined {
  const key = c.req.header("idempotency-key")?.trim() ?? "";
  if (key === "") return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw badRequest(
    "An Idempotency-Key has 1 to 255 visible ASCII characters.",
    "Idempotency-Key",
    "invalid_idempotency_key",
  );
}

const conflict = (): HttpError =>
  new HttpError(409, "This Idempotency-Key was used for another request; use a new key for each request.", {
    code: "idempotency_key_conflict",
    param: "Idempotency-Key",
  });

/** Work that was done once is not done again because nobody has its answer any more. */
const gone = (): HttpError =>
  new HttpError(
    410,
    "The session of the first request with this key was deleted; use a new key to ask again.",
    {
      code: "session_deleted",
      param: "Idempotency-Key",
    },
  );

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The stored form: there, the receipt is called `ticket`. */
const encodeEntry = ({ fingerprint, receipt }: Entry<Receipt>): string =>
  JSON.stringify({ fingerprint, ticket: receipt });

function decodeEntry<R>({ value }: StoredRecord): Entry<R> {
  const entry: unknown = JSON.parse(value);
  if (!isJsonObject(entry) || !isJsonObject(entry["ticket"]))
    throw new Error("An idempotency record is damaged.");
  // Written by the same route's `once`: the route is part of the record's key.
  return { fingerprint: String(entry["fingerprint"]), receipt: entry["ticket"] as unknown as R };
}
