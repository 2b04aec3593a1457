import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { clientConfig, type DatabaseOptions } from "./connections.ts";
import { lookAtWay } from "./pooler.ts";
import { statement } from "./statement.ts";

/** All hosts of a database hear each other here. */
const CHANNEL = "agent_host";
/** Milliseconds between two batches of a host: notifications take a lock of the whole database when they are sent. */
const APART = 10;
/** A notification holds fewer than 8,000 bytes. */
const LONGEST = 7_500;
/** A host sends itself a word so often; one that it does not hear before the next shows that it hears nothing. */
const TEST_EVERY = 10_000;
const AGAIN_AFTER = 250;

const NOTIFY = statement(
  "notify",
  `SELECT pg_notify('${CHANNEL}', payload) FROM unnest($1::text[]) AS payload`,
);

/** The subject of a line of a notification, which its first letter tells. */
export type NoticeKind = "moved" | "command" | "settled";
const LETTERS: Readonly<Record<NoticeKind, string>> = { moved: "m", command: "c", settled: "s" };
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter, kind as NoticeKind]));

/** A hearer of notices. */
interface NoticeListener {
  /** Another host says that something moved. */
  heard(kind: NoticeKind, id: string): void;
  /** Something may have been missed. */
  deaf(): void;
}

/**
 * Notices between the hosts of a database, on a connection of their own: sent in batches, outside of every transaction that
 * writes. They only wake: what happened is read from the tables, and a slow look at those stands behind. Through a pooler they
 * can be sent and not heard.
 */
export class Notices {
  readonly #options: Pick<DatabaseOptions, "url" | "name">;
  readonly #host: string;
  readonly #listener: NoticeListener;
  #client: pg.Client | undefined;
  /** No pooler stands between, which would give what is heard to somebody else. */
  #isDirect = true;
  #pending = new Set<string>();
  #isSending = false;
  #closed = false;
  #heardTest = true;
  #test: NodeJS.Timeout | undefined;

  constructor(options: Pick<DatabaseOptions, "url" | "name">, host: string, listener: NoticeListener) {
    this.#options = options;
    this.#host = host;
    this.#listener = listener;
  }

  /** Whether notices of other hosts arrive, as far as is known. */
  get hears(): boolean {
    return this.#client !== undefined && this.#isDirect;
  }

  /** Connects; tries again for as long as it is not closed. Resolves after the first time. */
  async start(): Promise<void> {
    await this.#connect();
    this.#test = setInterval(() => this.#testHearing(), TEST_EVERY).unref();
  }

  /** Tells the other hosts, soon. */
  send(kind: NoticeKind, id: string): void {
    this.#pending.add(`${LETTERS[kind]}${id}`);
    if (!this.#isSending) void this.#sendAll();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#test);
    while (this.#isSending) await pause(1);
    await this.#client?.end().catch(() => undefined);
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#pending.size > 0) {
      // All that happens in this turn of the loop goes with it.
      await pause(0);
      const lines = [...this.#pending];
      this.#pending = new Set();
      const sent = await this.#notify(payloadsOf(this.#host, lines));
      if (!sent && !this.#closed) for (const line of lines) this.#pending.add(line);
      if (!sent) await pause(this.#closed ? 0 : AGAIN_AFTER);
      if (this.#closed) break;
      await pause(APART);
    }
    this.#isSending = false;
  }

  async #notify(payloads: readonly string[]): Promise<boolean> {
    try {
      if (this.#client === undefined) return false;
      const { name, text } = NOTIFY;
      await this.#client.query({ ...(this.#isDirect ? { name } : {}), text, values: [[...payloads]] });
      return true;
    } catch {
      // The connection is gone; a new one is on its way.
      return false;
    }
  }

  async #connect(): Promise<void> {
    for (;;) {
      if (this.#closed) return;
      const client = new pg.Client(clientConfig(this.#options));
      client.on("notification", ({ payload = "" }) => this.#heard(payload));
      client.on("error", () => this.#lost(client));
      client.on("end", () => this.#lost(client));
      try {
        await client.connect();
        this.#isDirect = !(await lookAtWay(client)).isPooled;
        if (this.#isDirect) await client.query(`LISTEN ${CHANNEL}`);
        this.#client = client;
        this.#heardTest = true;
        return;
      } catch {
        void client.end().catch(() => undefined);
        await pause(AGAIN_AFTER);
      }
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
    this.#listener.deaf();
    void client.end().catch(() => undefined);
    void this.#connect().then(() => this.#listener.deaf());
  }

  #testHearing(): void {
    const client = this.#client;
    if (client === undefined || !this.#isDirect) return;
    if (!this.#heardTest) return this.#lost(client);
    this.#heardTest = false;
    void this.#notify([`${this.#host}\nt`]);
  }

  #heard(payload: string): void {
    const [from, ...lines] = payload.split("\n");
    if (from === this.#host) {
      this.#heardTest = true;
      return;
    }
    for (const line of lines) {
      const kind = KINDS.get(line.slice(0, 1));
      if (kind !== undefined) this.#listener.heard(kind, line.slice(1));
    }
  }
}

/** Joins lines into as few notifications as hold them. */
function payloadsOf(host: string, lines: readonly string[]): readonly string[] {
  const payloads: string[] = [];
  let payload = host;
  for (const line of lines) {
    if (Buffer.byteLength(payload) + Buffer.byteLength(line) > LONGEST) {
      payloads.push(payload);
      payload = host;
    }
    payload += `\n${line}`;
  }
  return [...payloads, payload];
}
