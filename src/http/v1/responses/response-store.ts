import type { Host, Session, StoredRecord } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { HttpError } from "../../server/http-error.ts";
import { type TurnAnswer, foldTurnAnswer } from "../../turns/turn-answer.ts";
import { currentSession } from "../../turns/current-session.ts";
import { readTurn } from "../../turns/turn-ref.ts";
import type { Receipt } from "../../turns/idempotency.ts";
import type { ReasoningForm } from "./items.ts";

/** A response as it was begun; what became of it is read from the log. */
export interface StoredResponse extends Receipt {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  /** It can be read and gone on from by its id. */
  readonly stored: boolean;
  /** It was asked for as a stream: then its items stand in the order in which they began. */
  readonly streamed: boolean;
  /** It goes on without a reader, can be stopped, and its stream be read again from any frame. */
  readonly background?: boolean;
  /** How what the model thinks is told; not at all by default. */
  readonly reasoning?: ReasoningForm;
  readonly instructions?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** What else the request said and its answer repeats, in the words of the wire. */
  readonly said?: Readonly<Record<string, unknown>>;
  readonly previousId?: string;
  readonly conversation?: string;
}

const SPACE = "http.responses";
const NAMES = "http.conversations";
const KEPT_MS = 30 * 24 * 60 * 60_000;
const MOST = 10_000;
/** Responses between two looks at how many there are. */
const TRIM_EVERY = 100;

/** The responses of a home: the most recently used ones, for 30 days. */
export class ResponseStore {
  readonly #host: Host;
  #added = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  async add(response: StoredResponse): Promise<void> {
    const { records } = this.#host.services.store;
    await records.put({
      space: SPACE,
      key: response.id,
      value: JSON.stringify(response),
      expiresAt: this.#expiry(),
    });
    this.#added += 1;
    if (this.#added % TRIM_EVERY === 0) await records.trim(SPACE, MOST);
  }

  /**
   * The response from which another goes on.
   *
   * @throws HttpError 404 `previous_response_not_found`
   */
  async previous(id: string): Promise<StoredResponse> {
    try {
      return await this.get(id);
    } catch (thrown) {
      if (!(thrown instanceof HttpError)) throw thrown;
      throw new HttpError(404, thrown.message, {
        code: "previous_response_not_found",
        param: "previous_response_id",
      });
    }
  }

  /** Reading one keeps it. @throws HttpError 404 */
  async get(id: string): Promise<StoredResponse> {
    const { records } = this.#host.services.store;
    const record = await records.get(SPACE, id);
    if (record === undefined) throw responseNotFound(id);
    const response = parseResponse(record);
    if ((await this.#host.record(response.ref.sessionId)) === undefined) throw responseNotFound(id);
    await records.renew(SPACE, id, this.#expiry());
    return response;
  }

  /** What became of it so far. */
  async answerOf(response: StoredResponse): Promise<TurnAnswer> {
    return foldTurnAnswer(await readTurn(await this.sessionOf(response), response.ref));
  }

  /** The session of a response, up to date also when the process that drove it is gone. @throws HttpError 404 */
  async sessionOf({ id, ref }: StoredResponse): Promise<Session> {
    const session = await currentSession(this.#host, ref.sessionId);
    if (session === undefined) throw responseNotFound(id);
    return session;
  }

  /** Deletes a response, and the conversation name that stands for it. @throws HttpError 404 */
  async delete(id: string): Promise<void> {
    const { conversation } = await this.get(id);
    const { records } = this.#host.services.store;
    await records.remove(SPACE, id);
    if (conversation === undefined) return;
    const name = await records.get(NAMES, conversation);
    if (name?.value === id) await records.remove(NAMES, conversation, name.version);
  }

  /** Takes back what could not begin. */
  async drop(id: string): Promise<void> {
    await this.#host.services.store.records.remove(SPACE, id);
  }

  /** The newest response of a conversation that is still there. */
  async latest(conversation: string): Promise<StoredResponse | undefined> {
    const name = await this.#host.services.store.records.get(NAMES, conversation);
    if (name === undefined) return undefined;
    try {
      return await this.get(name.value);
    } catch (thrown) {
      if (thrown instanceof HttpError) return undefined;
      throw thrown;
    }
  }

  async putLatest(conversation: string, id: string): Promise<void> {
    const { records } = this.#host.services.store;
    await records.put({ space: NAMES, key: conversation, value: id, expiresAt: this.#expiry() });
  }

  #expiry(): number {
    return this.#host.services.clock.now() + KEPT_MS;
  }
}

const responseNotFound = (id: string): HttpError =>
  new HttpError(404, `Response not found: ${id}`, { param: "response_id" });

function parseResponse({ key, value }: StoredRecord): StoredResponse {
  const response: unknown = JSON.parse(value);
  if (!isJsonObject(response) || !isJsonObject(response["ref"])) throw responseNotFound(key);
  // Written by `add` alone.
  return response as unknown as StoredResponse;
}
