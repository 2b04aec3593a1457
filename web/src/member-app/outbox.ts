import { RequestRefused } from "../client/dashboard-api.ts";
import { ask, mayPass } from "./ask.ts";

/** A message on its way. It stays here until the server has it, whatever happens to the page. */
export interface Outgoing {
  /** The same for every try: the server takes it once. */
  readonly id: string;
  /** The conversation, or the name of one that its first message makes. */
  readonly chat: string;
  readonly text: string;
  /** data: URLs */
  readonly images: readonly string[];
  /** Unix milliseconds. */
  readonly at: number;
  /** Why the server does not take it. */
  readonly refused?: string;
  /** The server has it; it is shown until it is seen in its conversation. */
  readonly sent?: true;
  /** It outlives the page; `false` where the browser keeps nothing. Absent until one of both is known. */
  readonly isKept?: boolean;
}

/** Names of conversations that are not there yet begin so. */
const NEW = "new:";
const STORE = "outbox";
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30_000;
const SHOWN_SENT = 20_000;

/** The outcome of a try: the server has the message or refused it, it takes it later, or nothing can be sent now. */
type Delivery = "over" | "later" | "cut";

/**
 * The outbox of one member on this device. It sends one message at a time, those of a conversation in their order, from
 * `start` to `stop`. A conversation that takes nothing now keeps no other waiting.
 */
export class Outbox {
  readonly #user: string;
  readonly #listeners = new Set<() => void>();
  /** Conversations that were made of first messages, by the name that those had. */
  readonly #made = new Map<string, string>();
  #waiting: readonly Outgoing[] = [];
  #sending = false;
  #wait = FIRST_WAIT;
  #timer = 0;
  #life: AbortController | undefined;

  constructor(user: string) {
    this.#user = user;
  }

  start(): void {
    this.#life = new AbortController();
    addEventListener("online", () => this.#soon(), { signal: this.#life.signal });
    void this.#open();
  }

  /** Sends nothing more: somebody else may sign in. What waits is kept. */
  stop(): void {
    this.#life?.abort();
    this.#life = undefined;
    clearTimeout(this.#timer);
  }

  get waiting(): readonly Outgoing[] {
    return this.#waiting;
  }

  /** The conversation that a first message made, once it is there. */
  madeOf(chat: string): string | undefined {
    return this.#made.get(chat);
  }

  /** The name that a conversation had before its first message made it; its id, where it was there before. */
  nameOf(id: string): string {
    return [...this.#made].find(([name, made]) => made === id && name.startsWith(NEW))?.[0] ?? id;
  }

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => void this.#listeners.delete(tell);
  };

  /** Shows a message, keeps it and sends it; it is sent as well where the browser keeps nothing. */
  async add(chat: string, text: string, images: readonly string[]): Promise<void> {
    const message = { id: crypto.randomUUID(), chat, text, images, at: Date.now() };
    this.#change([...this.#waiting, message]);
    const keeping = this.#write("readwrite", (store) => store.put({ ...message, user: this.#user })).then(
      () => true,
      () => false,
    );
    this.#soon();
    const isKept = await keeping;
    this.#change(this.#waiting.map((each) => (each.id === message.id ? { ...each, isKept } : each)));
  }

  /** Sends a message again that was refused. */
  retry(id: string): void {
    this.#change(
      this.#waiting.map(({ refused, ...each }) =>
        each.id === id || refused === undefined ? each : { ...each, refused },
      ),
    );
    this.#soon();
  }

  /** Takes a message back that was refused. */
  async drop(id: string): Promise<void> {
    this.#change(this.#waiting.filter((each) => each.id !== id));
    await this.#write("readwrite", (store) => store.delete(id)).catch(() => undefined);
  }

  /** Forgets all: whoever signs in here next has nothing to do with it. */
  async clear(): Promise<void> {
    this.#change([]);
    await this.#write("readwrite", (store) => store.clear()).catch(() => undefined);
  }

  async #open(): Promise<void> {
    const kept = await this.#write<readonly (Outgoing & { readonly user: string })[]>("readonly", (store) =>
      store.getAll(),
    ).catch(() => []);
    const own = kept
      .filter(({ user }) => user === this.#user)
      .toSorted((a, b) => a.at - b.at)
      .map((message) => ({ ...message, isKept: true }));
    const known = new Set(this.#waiting.map(({ id }) => id));
    this.#change([...own.filter(({ id }) => !known.has(id)), ...this.#waiting]);
    this.#soon();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#wait = FIRST_WAIT;
    void this.#send();
  }

  async #send(): Promise<void> {
    if (this.#sending || this.#life === undefined) return;
    this.#sending = true;
    const held = new Set<string>();
    try {
      for (let next = this.#next(held); next !== undefined; next = this.#next(held)) {
        const delivery = await this.#deliver(next);
        if (delivery === "cut") return this.#later();
        if (delivery === "later") held.add(this.#conversationOf(next));
        else this.#wait = FIRST_WAIT;
      }
      if (held.size > 0) this.#later();
    } finally {
      this.#sending = false;
    }
  }

  /** @param held - conversations that take nothing now */
  #next(held: ReadonlySet<string>): Outgoing | undefined {
    if (this.#life === undefined) return undefined;
    return this.#waiting.find(
      (each) =>
        each.refused === undefined && each.sent === undefined && !held.has(this.#conversationOf(each)),
    );
  }

  /** The conversation of a message; the name that its chat has until it is there. */
  #conversationOf({ chat }: Pick<Outgoing, "chat">): string {
    return this.#made.get(chat) ?? chat;
  }

  async #deliver(message: Outgoing): Promise<Delivery> {
    const { id, chat, text, images } = message;
    const conversation = this.#conversationOf(message);
    try {
      const taken = await ask<{ readonly conversation_id: string }>("POST", "/prompts", {
        id,
        // Whoever is signed in by now, it is sent as nobody else's.
        member: this.#user,
        text,
        ...(images.length === 0 ? {} : { images }),
        ...(conversation.startsWith(NEW) ? {} : { conversation_id: conversation }),
      });
      this.#made.set(chat, taken.conversation_id);
      await this.#rename(chat, taken.conversation_id);
      await this.#taken(id);
      return "over";
    } catch (thrown) {
      if (!(thrown instanceof RequestRefused)) return "later";
      if (mayPass(thrown)) return isOfConversation(thrown) ? "later" : "cut";
      this.#change(
        this.#waiting.map((each) => (each.id === id ? { ...each, refused: thrown.message } : each)),
      );
      return "over";
    }
  }

  async #taken(id: string): Promise<void> {
    this.#change(this.#waiting.map((each) => (each.id === id ? { ...each, sent: true } : each)));
    await this.#write("readwrite", (store) => store.delete(id)).catch(() => undefined);
    setTimeout(() => this.#change(this.#waiting.filter((each) => each.id !== id)), SHOWN_SENT);
  }

  /** What waits for the same new conversation goes there, also after the page was closed. */
  async #rename(from: string, to: string): Promise<void> {
    if (from === to) return;
    const others = this.#waiting.filter(({ chat }) => chat === from);
    this.#change(this.#waiting.map((each) => (each.chat === from ? { ...each, chat: to } : each)));
    for (const each of others)
      await this.#write("readwrite", (store) => store.put({ ...each, chat: to, user: this.#user })).catch(
        () => undefined,
      );
  }

  #later(): void {
    clearTimeout(this.#timer);
    if (this.#life === undefined) return;
    this.#timer = window.setTimeout(() => void this.#send(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }

  #change(waiting: readonly Outgoing[]): void {
    this.#waiting = waiting;
    for (const tell of this.#listeners) tell();
  }

  async #write<Result>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest,
  ): Promise<Result> {
    const database = await openDatabase();
    const transaction = database.transaction(STORE, mode);
    const committed = done(transaction, "complete");
    const request = work(transaction.objectStore(STORE));
    // A page that is closed takes back what is not committed.
    await committed;
    // What a request gives is what was put there.
    return request.result as Result;
  }
}

/** Whether the server itself said it, and so of one conversation only, as far as one can know. */
const isOfConversation = ({ status, code }: RequestRefused): boolean => status >= 500 && code !== undefined;

let database: Promise<IDBDatabase> | undefined;

function openDatabase(): Promise<IDBDatabase> {
  if (database !== undefined) return database;
  const request = indexedDB.open("agent-app", 1);
  request.addEventListener("upgradeneeded", () => {
    request.result.createObjectStore(STORE, { keyPath: "id" });
  });
  database = done(request, "success").then(() => request.result);
  return database;
}

function done(work: IDBRequest | IDBTransaction, name: "success" | "complete"): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  work.addEventListener(name, () => resolve());
  for (const fault of ["error", "abort"])
    work.addEventListener(fault, () => reject(work.error ?? new Error("The browser keeps nothing.")));
  return promise;
}
