import type { Host, Records, Session } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { HttpError } from "../../server/http-error.ts";
import type { Receipt } from "../../turns/idempotency.ts";
import { STATELESS_MS } from "../../turns/stateless-sweeper.ts";
import type { TurnAnswer } from "../../turns/turn-answer.ts";
import type { TurnRecord, Turns } from "../../turns/turns.ts";
import { ConversationNames } from "./conversation-names.ts";
import type { ReasoningForm, ToolItems } from "./items.ts";

/** A response as it was begun. Everything that came after is read from the log. */
export interface StoredResponse extends Receipt {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  /** It can be read, and continued from, by its id. */
  readonly stored: boolean;
  /** It was asked for as a stream: its items are in the order in which they began. */
  readonly streamed: boolean;
  /** It goes on without a reader, can be stopped, and its stream can be read again from any frame. */
  readonly background?: boolean;
  /** The form of the calls of tools; `function_call` by default. */
  readonly toolItems?: ToolItems;
  /** It is the answer of an earlier response, given once more: no turn was taken for it. */
  readonly repeats?: true;
  /** The form of the model's reasoning; absent, it is left out. */
  readonly reasoning?: ReasoningForm;
  readonly instructions?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Other fields of the request that the answer repeats, in the words of the wire. */
  readonly said?: Readonly<Record<string, unknown>>;
  readonly previousId?: string;
  readonly conversation?: string;
}

const SPACE = "http.responses";
const UNSTORED = "http.responses.unstored";
const KEPT_MS = 30 * 24 * 60 * 60_000;
const MOST = 10_000;
/** Responses between two looks at how many there are. */
const TRIM_EVERY = 100;

/** The responses of a home: the most recently used ones, for 30 days. */
export class ResponseStore {
  readonly names: ConversationNames;
  readonly #host: Host;
  readonly #turns: Turns;
  #added = 0;

  constructor(host: Host, turns: Turns) {
    this.names = new ConversationNames(host);
    this.#host = host;
    this.#turns = turns;
  }

  get #records(): Records {
    return this.#host.services.store.records;
  }

  /** Makes the record that is kept with a response's turn. */
  record(response: StoredResponse): TurnRecord {
    return { add: () => this.add(response), remove: () => this.drop(response.id) };
  }

  /** Keeps a response. One that is not to be stored is kept too, for a day: its calls can be recognised. */
  async add(response: StoredResponse): Promise<void> {
    const { id: key, stored } = response;
    const value = JSON.stringify(response);
    if (!stored) {
      const expiresAt = this.#host.services.clock.now() + STATELESS_MS;
      return void (await this.#records.put({ space: UNSTORED, key, value, expiresAt }));
    }
    await this.#records.put({ space: SPACE, key, value, expiresAt: this.#expiry() });
    this.#added += 1;
    if (this.#added % TRIM_EVERY === 0) await this.#records.trim(SPACE, MOST);
  }

  /** Gives the response that another continues from. @throws HttpError 404 `previous_response_not_found` */
  async previous(id: string): Promise<StoredResponse> {
    const found = await this.use(id);
    if (found !== undefined) return found;
    throw new HttpError(404, notFoundText(id), {
      code: "previous_response_not_found",
      param: "previous_response_id",
    });
  }

  /** Gives a response, and keeps it longer. @throws HttpError 404 */
  async get(id: string): Promise<StoredResponse> {
    const found = await this.use(id);
    if (found === undefined) throw responseNotFound(id);
    return found;
  }

  /** Gives a response whose items a client sends back, also one that cannot be read by its id. */
  async find(id: string): Promise<StoredResponse | undefined> {
    return (await this.#find(SPACE, id)) ?? (await this.#find(UNSTORED, id));
  }

  /** Gives the answer so far. @throws HttpError 404 */
  async answerOf({ id, ref }: StoredResponse): Promise<TurnAnswer> {
    const found = await this.#turns.read(ref);
    if (found === undefined) throw responseNotFound(id);
    return found.answer;
  }

  /** Gives the session of a response, up to date also when the process that drove it has died. @throws HttpError 404 */
  async sessionOf({ id, ref }: StoredResponse): Promise<Session> {
    const session = await this.#turns.session(ref);
    if (session === undefined) throw responseNotFound(id);
    return session;
  }

  /** Deletes a response, and the conversation name that stands for it. */
  async delete({ id, conversation }: StoredResponse): Promise<void> {
    await this.#records.remove(SPACE, id);
    if (conversation !== undefined) await this.names.drop(conversation, id);
  }

  /** Removes a response that could not begin. */
  async drop(id: string): Promise<void> {
    for (const space of [SPACE, UNSTORED]) await this.#records.remove(space, id);
  }

  /** Gives the newest response of a conversation, if it still exists. */
  async latest(conversation: string): Promise<StoredResponse | undefined> {
    const id = await this.names.responseOf(conversation);
    return id === undefined ? undefined : await this.use(id);
  }

  /** Gives a response that can be read by its id, if it still exists; it is kept longer. */
  async use(id: string): Promise<StoredResponse | undefined> {
    const found = await this.#find(SPACE, id);
    if (found !== undefined) await this.#records.renew(SPACE, id, this.#expiry());
    return found;
  }

  async #find(space: string, id: string): Promise<StoredResponse | undefined> {
    const record = await this.#records.get(space, id);
    const response: unknown = record && JSON.parse(record.value);
    if (!isJsonObject(response) || !isJsonObject(response["ref"])) return undefined;
    // Only this file writes these spaces.
    const stored = response as unknown as StoredResponse;
    return (await this.#host.record(stored.ref.sessionId)) === undefined ? undefined : stored;
  }

  #expiry(): number {
    return this.#host.services.clock.now() + KEPT_MS;
  }
}

const notFoundText = (id: string): string => `Response not found: ${id}`;

const responseNotFound = (id: string): HttpError =>
  new HttpError(404, notFoundText(id), { param: "response_id" });
