import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookRequest } from "../../../src/chat/index.ts";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform, PostEvent } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { Faults } from "../kit/faults.ts";
import { carryOut, FAKE_NUMBER, type GraphAnswer, graphRefusal } from "./fake-graph.ts";

/** The secrets of the fake's one app. */
export const FAKE_APP = {
  token: "EAAG-fake-token",
  appSecret: "0123456789abcdef-app-secret",
  verifyToken: "a-verify-token-of-the-tests",
};
const RETRY_MS = 20;

/** What somebody sends. */
export interface FakeWhatsappMessage {
  /** The number of a person. */
  readonly user?: number;
  readonly text?: string;
  /** In place of a text: what the message says, with its type. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Meta's Cloud API on 127.0.0.1, as https://developers.facebook.com/documentation/business-messaging/whatsapp says it is. */
export class FakeWhatsapp implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  /** Files by their ids: those that people sent, and those that the bot uploaded. */
  readonly files = new Map<string, Uint8Array>();
  /** Bodies of the requests that were carried out. */
  readonly requests: unknown[] = [];
  /** An error that each message is refused with, while it is there. */
  refusal: GraphAnswer | undefined;
  readonly #options: FakeOptions;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  /** Events of each chat that were not taken, the oldest first. */
  readonly #lines = new Map<string, object[]>();
  readonly #life = new AbortController();
  #fresh: { readonly chat: string; readonly value: object }[] = [];
  #post: PostEvent | undefined;
  #nextId = 1;

  private constructor(options: FakeOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
  }

  static async start(options: FakeOptions = {}): Promise<FakeWhatsapp> {
    const fake = new FakeWhatsapp(options);
    await fake.#server.listen(() => fake.#end());
    return fake;
  }

  get url(): string {
    return this.#server.url;
  }

  get account() {
    return { baseUrl: `${this.url}/v23.0`, secrets: FAKE_APP, from: FAKE_NUMBER };
  }

  get env() {
    return {
      WHATSAPP_TOKEN: FAKE_APP.token,
      WHATSAPP_APP_SECRET: FAKE_APP.appSecret,
      WHATSAPP_VERIFY_TOKEN: FAKE_APP.verifyToken,
    };
  }

  postTo(post: PostEvent): void {
    const isFirst = this.#post === undefined;
    this.#post = post;
    if (isFirst) for (const chat of this.#lines.keys()) void this.#deliver(chat);
  }

  get unconfirmed(): number {
    return this.#fresh.length + [...this.#lines.values()].reduce((sum, line) => sum + line.length, 0);
  }

  say(person: number, text: string): string {
    this.send({ user: person, text });
    return wa(person);
  }

  sayWithFile(person: number, text: string, { name, mediaType, bytes }: FakeFile): string {
    const id = `file-${this.#newId()}`;
    this.files.set(id, bytes);
    const document = { id, mime_type: mediaType, filename: name, caption: text };
    this.send({ user: person, text, more: { type: "document", document } });
    return wa(person);
  }

  /** There are no threads: each is another person's chat. */
  sayInThread(thread: number, text: string): string {
    return this.say(10_000 + thread, text);
  }

  /** Somebody sends a message; gives its id. */
  send({ user = 1, text = "", more = { type: "text", text: { body: text } } }: FakeWhatsappMessage): string {
    const id = this.#newId();
    this.history.add({ id, place: wa(user), by: "person", text });
    this.emit(user, { messages: [{ from: wa(user), id, timestamp: "1749416383", ...more }] });
    return id;
  }

  /** Somebody presses a button of the newest message that has one with these words. */
  press(label: string, user = 1): void {
    const { message, value } = this.history.button(label);
    const reply = { id: value, title: label };
    const isList = message.files.includes("list");
    this.send({
      user,
      more: {
        type: "interactive",
        context: { from: FAKE_NUMBER, id: message.id },
        interactive: isList
          ? { type: "list_reply", list_reply: reply }
          : { type: "button_reply", button_reply: reply },
      },
    });
  }

  /** A message of the bot does not arrive after all. */
  fail(messageId: string, code: number, title: string): void {
    const errors = [{ code, title, message: title, error_data: { details: "Details of it." } }];
    const status = { id: messageId, status: "failed", timestamp: "1749416383", recipient_id: wa(1), errors };
    this.emit(1, { statuses: [status] });
  }

  /** Something happens in the chat of a person. */
  emit(user: number, value: object): void {
    this.#fresh.push({ chat: wa(user), value });
    if (this.#fresh.length === 1) setImmediate(() => this.#flush());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end();
    await this.#server[Symbol.asyncDispose]();
  }

  #end(): void {
    this.#life.abort();
  }

  #newId(): string {
    return `wamid.${this.#nextId++}`;
  }

  /** What happened together comes with its faults; of one chat in its order all the same. */
  #flush(): void {
    const fresh = this.#fresh;
    const sent = this.faults.inOrder(fresh, ({ chat }) => chat);
    this.#fresh = [];
    for (const [chat, line] of Map.groupBy(sent, ({ chat }) => chat)) {
      const waiting = this.#lines.get(chat);
      const values = line.map(({ value }) => value);
      if (waiting !== undefined) waiting.push(...values);
      else {
        this.#lines.set(chat, values);
        void this.#deliver(chat);
      }
    }
  }

  /** Posts the events of a chat, one after the other, each until it is taken. */
  async #deliver(chat: string): Promise<void> {
    const post = this.#post;
    if (post === undefined) return;
    const line = this.#lines.get(chat) ?? [];
    for (let next = line[0]; next !== undefined && !this.#life.signal.aborted; next = line[0]) {
      this.#options.onRequest?.("webhook", "before");
      const status = await post(
        noticeOf({ contacts: [{ profile: { name: "Ann" }, wa_id: chat }], ...next }),
      ).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) line.shift();
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      this.#options.onRequest?.("webhook", "after");
      if (line.length === 0) this.#lines.delete(chat);
      this.history.changed();
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const path = new URL(request.url ?? "/", this.url).pathname;
    this.#options.onRequest?.(path, "before");
    response.once("close", () => this.#options.onRequest?.(path, "after"));
    if (request.headers.authorization !== `Bearer ${FAKE_APP.token}`)
      return answer(response, graphRefusal(401, 190, "Invalid OAuth access token."));
    const file = /^\/files\/([\w.-]+)$/.exec(path)?.[1];
    if (file !== undefined) return void response.end(this.files.get(file));
    const fault = request.method === "POST" ? this.faults.ofRequest() : undefined;
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "limit") {
      // Meta does not say how long; nobody waits for it here.
      response.setHeader("retry-after", "0");
      return answer(response, graphRefusal(429, 130_429, "Rate limit hit"));
    }
    const type = request.headers["content-type"] ?? "";
    const result = carryOut(this, { method: request.method ?? "", path, type, body }, () => this.#newId());
    if (fault === "lose") return void request.socket.destroy();
    if (fault === "garble") return void response.end("<html>502</html>");
    answer(response, result);
  }
}

/** The number of a person. */
const wa = (person: number): string => String(person);

/** A request that tells something, as Meta signs it. */
export function noticeOf(told: object, secret = FAKE_APP.appSecret): WebhookRequest {
  const metadata = { display_phone_number: "15550783881", phone_number_id: FAKE_NUMBER };
  const value = { messaging_product: "whatsapp", metadata, ...told };
  const entry = [{ id: "1", changes: [{ field: "messages", value }] }];
  const body = Buffer.from(JSON.stringify({ object: "whatsapp_business_account", entry }));
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
  return { method: "POST", headers, query: {}, body };
}

function answer(response: ServerResponse, [status, body]: GraphAnswer): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
