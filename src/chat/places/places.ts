import { createHash } from "node:crypto";
import type { Records, StoredRecord } from "../../core/index.ts";
import { type ChatPlace, placeKey } from "../port/place.ts";

const SPACE = "chat.place";
const TRIES = 5;
/** Of a session's id, without the numbers behind it. */
const LONGEST_ID = 150;

/** The conversation of a place: the session that it goes on in. */
export interface PlaceConversation {
  readonly sessionId: string;
  /** Counts the conversations of the place. */
  readonly number: number;
  /** The entry that began it: done again after a crash it begins no other. */
  readonly begunBy: string;
}

/** The conversations of the places of one platform, as records. A place that has one takes part in what is said there. */
export class Places {
  readonly #records: Records;
  readonly #platform: string;

  constructor(records: Records, platform: string) {
    this.#records = records;
    this.#platform = platform;
  }

  /** The conversation of a place; `undefined` where nobody has spoken to the agent yet. */
  async find(place: ChatPlace): Promise<PlaceConversation | undefined> {
    const record = await this.#records.get(SPACE, this.#key(place));
    return record && conversationOf(record);
  }

  /** The conversation of a place, a new one where there is none. */
  async open(place: ChatPlace, begunBy: string): Promise<PlaceConversation> {
    const draft = this.#draft(place, { sessionId: this.#sessionId(place, 1), number: 1, begunBy });
    return conversationOf((await this.#records.add(draft)).record);
  }

  /** Begins a new conversation in a place, once for each entry. */
  renew(place: ChatPlace, begunBy: string): Promise<PlaceConversation> {
    return this.#change(place, begunBy, (number) => this.#sessionId(place, number));
  }

  /** Goes on in another session. */
  switch(place: ChatPlace, begunBy: string, sessionId: string): Promise<PlaceConversation> {
    return this.#change(place, begunBy, () => sessionId);
  }

  async #change(
    place: ChatPlace,
    begunBy: string,
    sessionId: (number: number) => string,
  ): Promise<PlaceConversation> {
    for (let attempt = 1; ; attempt += 1) {
      const record = await this.#records.get(SPACE, this.#key(place));
      const now = record && conversationOf(record);
      if (now?.begunBy === begunBy) return now;
      const number = (now?.number ?? 0) + 1;
      const next = { sessionId: sessionId(number), number, begunBy };
      const draft = this.#draft(place, next);
      if (record === undefined && (await this.#records.add(draft)).added) return next;
      if (record !== undefined && (await this.#records.replace(draft, record.version)) !== undefined)
        return next;
      if (attempt === TRIES) return next;
    }
  }

  #key(place: ChatPlace): string {
    return `${this.#platform}\n${placeKey(place)}`;
  }

  #draft(place: ChatPlace, conversation: PlaceConversation) {
    return {
      space: SPACE,
      key: this.#key(place),
      parent: this.#platform,
      value: JSON.stringify(conversation),
    };
  }

  /** Says where the session is held, as far as an id may. */
  #sessionId({ chatId, threadId }: ChatPlace, number: number): string {
    const words = [this.#platform, chatId, ...(threadId === undefined ? [] : [threadId])].join(":");
    const isPlain = /^[\w:@!#.-]+$/.test(words) && !words.includes("..") && words.length <= LONGEST_ID;
    const name = isPlain
      ? words
      : `${this.#platform}:${createHash("sha256").update(words).digest("hex").slice(0, 24)}`;
    return `${name}:${number}`;
  }
}

// Only this file writes this space.
const conversationOf = ({ value }: StoredRecord): PlaceConversation => JSON.parse(value) as PlaceConversation;
