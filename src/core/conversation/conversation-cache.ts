import { Conversation } from "./conversation.ts";
import type { Row } from "../events/events.ts";
import { loadConversation } from "./load-conversation.ts";
import type { LogWriter } from "../log/log-writer.ts";
import { estimateTokens } from "./tokens.ts";

/** About a megabyte of text. It is cheaper to read it again than to keep it for a turn that may not come. */
const HEAVY_TOKENS = 250_000;

/** A session's conversation, read from the log once and then kept up to date row by row. */
export class ConversationCache {
  readonly #writer: LogWriter;
  #conversation: Conversation | undefined;
  /** The newest row in it. */
  #n = 0;
  #loading: Promise<Conversation> | undefined;
  #forgotten = 0;
  /** Rows that came while it was read. */
  #meanwhile: Row[] = [];

  constructor(writer: LogWriter) {
    this.#writer = writer;
    // A session that is not there yet needs no reading.
    if (writer.log.state.n === 0) this.#conversation = new Conversation();
  }

  async get(): Promise<Conversation> {
    if (this.#conversation !== undefined && !this.#conversation.stale) return this.#conversation;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return await this.#loading;
  }

  /** Rows were committed, or are on their way. Each counts once. */
  push(rows: readonly Row[]): void {
    if (this.#loading !== undefined) this.#meanwhile.push(...rows);
    else for (const row of rows) this.#add(this.#conversation, row);
  }

  /** It takes much memory. */
  get heavy(): boolean {
    return this.#conversation !== undefined && estimateTokens(this.#conversation.history()) > HEAVY_TOKENS;
  }

  /** Gives it back, or up: the next `get` reads the log again. */
  forget(): void {
    this.#conversation = undefined;
    this.#forgotten += 1;
  }

  #add(conversation: Conversation | undefined, row: Row): void {
    if (row.n <= this.#n) return;
    this.#n = row.n;
    conversation?.push(row);
  }

  async #load(): Promise<Conversation> {
    for (;;) {
      // The rows that are read must have arrived in the store.
      await this.#writer.settled();
      const forgotten = this.#forgotten;
      this.#meanwhile = [];
      this.#n = this.#writer.log.state.n;
      const conversation = await loadConversation(this.#writer.log);
      for (const row of this.#meanwhile) this.#add(conversation, row);
      if (conversation.stale || forgotten !== this.#forgotten) continue;
      this.#conversation = conversation;
      this.#writer.log.forgetRows();
      return conversation;
    }
  }
}
