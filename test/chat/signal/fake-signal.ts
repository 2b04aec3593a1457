import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { Faults } from "../kit/faults.ts";

/** The options of a fake of the service. */
export interface FakeSignalOptions extends FakeOptions {
  /** `json-rpc` has a WebSocket, the others are asked. */
  readonly mode?: "json-rpc" | "native";
}

type Fields = Readonly<Record<string, unknown>>;
type Answer = readonly [status: number, body?: unknown];

export const OWN_NUMBER = "+4900";
const OWN_UUID = "00000000-0000-4000-8000-000000000000";

/** The number of a person, and the id that stays when the number changes. */
export const numberOf = (person: number): string => `+49${1000 + person}`;
export const uuidOf = (person: number): string =>
  `11111111-0000-4000-8000-${String(person).padStart(12, "0")}`;

/** The service around signal-cli on 127.0.0.1, as https://bbernhard.github.io/signal-cli-rest-api/ says it is. */
export class FakeSignal implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  /** Requests that were made, in order. */
  readonly calls: string[] = [];
  /** Bodies of messages that were sent. */
  readonly sent: Fields[] = [];
  readonly receipts: Fields[] = [];
  readonly files = new Map<string, Uint8Array>();
  /** The account that the service has. */
  number = OWN_NUMBER;
  /** So many messages are sent without that the bot hears of it. */
  lose = 0;
  /** Signal wants a riddle solved. */
  isLimited = false;
  readonly #options: FakeSignalOptions;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });
  /** Versions of the bot's messages, with their first ones. */
  readonly #versions = new Map<string, string>();
  #waiting: unknown[] = [];
  #open: WebSocket | undefined;
  #isAsked = false;
  #time = 1_700_000_000_000;
  connections = 0;

  private constructor(options: FakeSignalOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
    this.#server.http.on("upgrade", (request, socket, head) => {
      const path = `/v1/receive/${encodeURIComponent(OWN_NUMBER)}`;
      if (request.url !== path || this.#mode !== "json-rpc") return void socket.destroy();
      this.#sockets.handleUpgrade(request, socket, head, (open) => this.#greet(open));
    });
  }

  static async start(options: FakeSignalOptions = {}): Promise<FakeSignal> {
    const fake = new FakeSignal(options);
    await fake.#server.listen(() => fake.#end());
    return fake;
  }

  get #mode(): "json-rpc" | "native" {
    return this.#options.mode ?? "json-rpc";
  }

  get url(): string {
    return this.#server.url;
  }

  get account() {
    return { baseUrl: this.url, secrets: {}, from: OWN_NUMBER };
  }

  readonly env = {};

  get unconfirmed(): number {
    return this.#waiting.length;
  }

  get timesConnected(): number {
    return this.connections;
  }

  listened(): Promise<void> {
    return this.history.until(() => this.#open !== undefined || this.#isAsked);
  }

  say(person: number, text: string): string {
    this.send(person, { message: text });
    return numberOf(person);
  }

  sayWithFile(person: number, text: string, { name, mediaType, bytes }: FakeFile): string {
    const id = `attachment${this.files.size}`;
    this.files.set(id, bytes);
    const attachments = [{ id, contentType: mediaType, filename: name, size: bytes.length }];
    this.send(person, { message: text, attachments });
    return numberOf(person);
  }

  sayInThread(thread: number, text: string): string {
    const mentions = [{ name: "Agent", number: OWN_NUMBER, uuid: OWN_UUID, start: 0, length: 1 }];
    const groupId = `room${thread}`;
    this.send(1, { message: `\uFFFC ${text}`, mentions, groupInfo: { groupId, type: "DELIVER" } });
    return groupOf(groupId);
  }

  /** Somebody sends something; gives its time. */
  send(person: number, data: Fields): number {
    const timestamp = this.#next();
    const { groupId } = (data["groupInfo"] ?? {}) as { groupId?: string };
    const place = groupId === undefined ? numberOf(person) : groupOf(groupId);
    if (typeof data["message"] === "string")
      this.history.add({ id: String(timestamp), place, by: "person", text: data["message"] });
    this.hand(person, { dataMessage: { timestamp, expiresInSeconds: 0, viewOnce: false, ...data } });
    return timestamp;
  }

  /** Somebody changes a message; gives the time of the new version. */
  edit(person: number, target: number, message: string): number {
    const timestamp = this.#next();
    this.hand(person, { editMessage: { targetSentTimestamp: target, dataMessage: { timestamp, message } } });
    return timestamp;
  }

  /** Something comes, in its envelope. */
  hand(person: number, content: Fields): void {
    const source = { sourceNumber: numberOf(person), sourceUuid: uuidOf(person), sourceName: `P${person}` };
    const envelope = { ...source, sourceDevice: 1, timestamp: this.#time, ...content };
    for (const each of this.faults.ofEvents([{ envelope, account: OWN_NUMBER }])) this.#deliver(each);
  }

  /** Something comes that is no envelope. */
  frame(text: string): void {
    this.#open?.send(text);
  }

  /** The connection breaks. What comes meanwhile is lost, as the service has nobody to hand it to. */
  cut(): void {
    this.#open?.terminate();
    this.#open = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end();
    await this.#server[Symbol.asyncDispose]();
  }

  #end(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  #next(): number {
    this.#time += 1;
    return this.#time;
  }

  #deliver(envelope: unknown): void {
    if (this.#mode === "native") this.#waiting.push(envelope);
    else this.#open?.send(JSON.stringify(envelope));
  }

  #greet(socket: WebSocket): void {
    this.connections += 1;
    this.#open = socket;
    socket.on("close", () => {
      if (this.#open === socket) this.#open = undefined;
    });
    this.history.changed();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "GET", url = "/" } = request;
    const { pathname } = new URL(url, this.url);
    const call = `${method} ${decodeURIComponent(pathname)}`;
    const file = /^GET \/v1\/attachments\/(.+)$/.exec(call)?.[1];
    if (file !== undefined) {
      const bytes = this.files.get(file);
      return void response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    }
    this.calls.push(call);
    const fault = method === "GET" ? undefined : this.faults.ofRequest();
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "limit") {
      response.setHeader("retry-after", "0");
      return answer(response, [429, { error: "Rate limit" }]);
    }
    this.#options.onRequest?.(call, "before");
    const result = this.#carryOut(call, JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as Fields);
    if (call === "POST /v2/send" && this.lose > 0) {
      this.lose -= 1;
      return void request.socket.destroy();
    }
    if (fault === "lose") return void request.socket.destroy();
    if (fault === "garble") return void response.end("<html>502</html>");
    answer(response, result);
    this.#options.onRequest?.(call, "after");
    this.history.changed();
  }

  #carryOut(call: string, body: Fields): Answer {
    switch (call) {
      case "GET /v1/about":
        return [200, { versions: ["v1", "v2"], build: 2, mode: this.#mode, version: "0.98" }];
      case "GET /v1/accounts":
        return [200, [this.number]];
      case "POST /v2/send":
        return this.isLimited
          ? [429, { error: "Rate limited", challenge_tokens: ["t"], account: OWN_NUMBER }]
          : this.#take(body);
      case `PUT /v1/typing-indicator/${OWN_NUMBER}`:
        this.history.typing.push(String(body["recipient"]));
        return [204];
      case `POST /v1/receipts/${OWN_NUMBER}`:
        this.receipts.push(body);
        return [204];
      case `GET /v1/receive/${OWN_NUMBER}`: {
        if (this.#mode === "json-rpc") return [400, { error: "bad handshake" }];
        this.#isAsked = true;
        const found = this.#waiting;
        this.#waiting = [];
        return [200, found];
      }
      default:
        return [404, { error: "not found" }];
    }
  }

  #take(body: Fields): Answer {
    const { message, number, recipients, base64_attachments: files = [] } = body;
    const { edit_timestamp: edited } = body as { readonly edit_timestamp?: number };
    const [place] = recipients as readonly string[];
    if (number !== OWN_NUMBER || place === undefined)
      return [400, { error: "please provide a valid number" }];
    if (typeof message !== "string" || (message.trim() === "" && (files as unknown[]).length === 0))
      return [400, { error: "Nothing to send" }];
    if (message.length > 2000) return [400, { error: "Too long" }];
    const id = String(this.#next());
    this.sent.push(body);
    if (edited === undefined) {
      for (const file of files as string[]) {
        const [, name = "", data = ""] = /;filename=(.*);base64,(.*)$/.exec(file) ?? [];
        this.history.received.push({ name, bytes: Buffer.from(data, "base64") });
      }
      this.history.add({ id, place, by: "bot", text: message, files: files as string[] });
    } else {
      const first = this.#versions.get(String(edited)) ?? String(edited);
      if (this.history.edit(place, first, { text: message, buttons: [] }) === undefined)
        return [400, { error: "Message not found" }];
      this.#versions.set(id, first);
    }
    return [201, { timestamp: id }];
  }
}

/** The id by which a group is written to. */
export const groupOf = (groupId: string): string => `group.${Buffer.from(groupId).toString("base64")}`;

function answer(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
