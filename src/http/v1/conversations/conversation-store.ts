import type { Host, Records, StoredRecord } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { KeyedQueue } from "../../../shared/async/keyed-queue.ts";
import { HttpError } from "../../server/http-error.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import type { ResponseStore } from "../responses/response-store.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** An item of a conversation that a client added, in the words of the wire. */
export type ConversationItem = JsonObject & { readonly id: string; readonly type: string };

/** A conversation as its client made it. What was said in it through responses is in their session. */
export interface StoredConversation {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly metadata: JsonObject;
  /** Items that the next response takes into its session. */
  readonly items: readonly ConversationItem[];
}

/** The parts of the server that routes work with, and the stores in which a conversation may stand. */
export interface ConversationsContext extends ApiContext {
  readonly conversations: ConversationStore;
  readonly responses: ResponseStore;
}

const SPACE = "http.conversations.made";
const KEPT_MS = 30 * 24 * 60 * 60_000;
/** A conversation is written as a whole whenever items are added. */
const MOST_CHARACTERS = 4_000_000;

/** The conversations that clients made by `POST /v1/conversations`, for 30 days after their last use. */
export class ConversationStore {
  /** Responses of one conversation begin one after the other: its name stands for the newest one. */
  readonly queue = new KeyedQueue();
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  get #records(): Records {
    return this.#host.services.store.records;
  }

  /** @throws HttpError 400 when its items are too many */
  async add(conversation: StoredConversation): Promise<void> {
    await this.#records.put({ space: SPACE, key: conversation.id, ...this.#value(conversation) });
  }

  async get(id: string): Promise<StoredConversation | undefined> {
    const record = await this.#records.get(SPACE, id);
    if (record === undefined) return undefined;
    await this.#records.renew(SPACE, id, this.#expiry());
    return parse(record);
  }

  /** Changes a conversation; one that does not exist is not made. @throws HttpError 400 when its items are too many */
  async change(
    id: string,
    change: (conversation: StoredConversation) => StoredConversation,
  ): Promise<StoredConversation | undefined> {
    for (;;) {
      const record = await this.#records.get(SPACE, id);
      if (record === undefined) return undefined;
      const next = change(parse(record));
      const entry = { space: SPACE, key: id, ...this.#value(next) };
      if (await this.#records.replace(entry, record.version)) return next;
    }
  }

  /** Takes items away that a response has taken into its session. */
  async taken(id: string, items: readonly ConversationItem[]): Promise<void> {
    if (items.length === 0) return;
    const ids = new Set(items.map((item) => item.id));
    await this.change(id, (now) => ({ ...now, items: now.items.filter((item) => !ids.has(item.id)) }));
  }

  async remove(id: string): Promise<void> {
    await this.#records.remove(SPACE, id);
  }

  #value(conversation: StoredConversation) {
    const value = JSON.stringify(conversation);
    if (value.length > MOST_CHARACTERS)
      throw new HttpError(
        400,
        "The conversation has too many items. Go on in it with a response, which takes them in, or begin another.",
        { param: "items" },
      );
    return { value, expiresAt: this.#expiry() };
  }

  #expiry(): number {
    return this.#host.services.clock.now() + KEPT_MS;
  }
}

function parse({ value }: StoredRecord): StoredConversation {
  const conversation: unknown = JSON.parse(value);
  if (!isJsonObject(conversation)) throw new Error("The record of a conversation is damaged.");
  // Written by this class alone.
  return conversation as unknown as StoredConversation;
}
