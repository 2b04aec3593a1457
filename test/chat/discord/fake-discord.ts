import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { type FormPart, formParts } from "../kit/form-parts.ts";
import { Faults } from "../kit/faults.ts";

/** The options of a fake Discord. */
export interface FakeDiscordOptions extends FakeOptions {
  /** A close code for each who identifies. */
  readonly refuseWith?: number;
}

/** What somebody writes. */
export interface FakeMessage {
  readonly text?: string;
  /** The channel; a direct one unless `guild`. */
  readonly channel?: string;
  readonly guild?: boolean;
  readonly user?: string;
  readonly mentions?: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
  /** What has changed when the message is read later. */
  readonly now?: Readonly<Record<string, unknown>>;
}

interface Frame {
  readonly op: number;
  readonly d: unknown;
  readonly s: number | null;
  readonly t: string | null;
}

/** The token of the fake's one bot. */
const FAKE_TOKEN = "fake.token.of-the-tests";
export const BOT_ID = "900";
const BOT = { id: BOT_ID, username: "agent", bot: true };
const GUILD = "77";
/** The role that the server has made for the bot. */
export const BOT_ROLE = "78";
const THREADS_FROM = 100_000;
/** Message Content. */
const CONTENT_INTENT = 1 << 15;

/** Discord on 127.0.0.1, as https://docs.discord.com/developers says it is: its gateway and its HTTP API. */
export class FakeDiscord implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  /** `METHOD /path` of requests, in order. */
  readonly calls: string[] = [];
  /** Opcodes that came over the gateway, in order. */
  readonly ops: number[] = [];
  /** Threads, with the channels that they are in. */
  readonly threads = new Map<string, string>();
  readonly files = new Map<string, Uint8Array>();
  /** First answers to interactions, and what followed them. */
  readonly interactions: { readonly path: string; readonly body: Record<string, unknown> }[] = [];
  commands: readonly { readonly name: string }[] = [];
  /** Whether heartbeats are acknowledged. */
  acknowledges = true;
  /** Milliseconds between heartbeats of the next connection. */
  heartbeatMs = 41_250;
  readonly #options: FakeDiscordOptions;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  readonly #gateway = new WebSocketServer({ server: this.#server.http });
  /** Messages of people as the API gives them, by channel. */
  readonly #written = new Map<string, Record<string, unknown>[]>();
  readonly #nonces = new Map<string, string>();
  #socket: WebSocket | undefined;
  #log: Frame[] = [];
  #sessions = 0;
  #session = "";
  #next = BigInt(Date.now() - 1_420_070_400_000) << 22n;

  private constructor(options: FakeDiscordOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
    this.#gateway.on("connection", (socket) => this.#greet(socket));
  }

  static async start(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
    const fake = new FakeDiscord(options);
    await fake.#server.listen();
    return fake;
  }

  get url(): string {
    return this.#server.url;
  }

  get account() {
    return { baseUrl: this.url, secrets: { token: FAKE_TOKEN } };
  }

  get env() {
    return { DISCORD_TOKEN: FAKE_TOKEN };
  }

  /** The gateway has no acknowledgements: what was told counts as heard. */
  readonly unconfirmed = 0;

  listened(): Promise<void> {
    return this.history.until(() => this.#session !== "");
  }

  say(person: number, text: string): string {
    this.send({ channel: String(person), user: String(person), text });
    return String(person);
  }

  sayWithFile(person: number, text: string, { name, mediaType, bytes }: FakeFile): string {
    const id = this.#id();
    this.files.set(id, bytes);
    const url = `${this.url}/cdn/${id}`;
    const attachments = [{ id, filename: name, size: bytes.length, content_type: mediaType, url }];
    this.send({ channel: String(person), user: String(person), text, more: { attachments } });
    return String(person);
  }

  sayInThread(thread: number, text: string): string {
    const channel = String(THREADS_FROM + thread);
    this.threads.set(channel, "7");
    this.send({ channel, guild: true, text: `<@${BOT_ID}> ${text}`, mentions: [BOT_ID] });
    return `7/${channel}`;
  }

  /** Somebody writes; gives the message's id. It comes when a gateway session is there, and can be read later. */
  send({
    text = "",
    channel = "42",
    guild = false,
    user = "42",
    mentions = [],
    more,
    now,
  }: FakeMessage): string {
    const id = this.#id();
    this.history.add({ id, place: this.#place(channel), by: "person", text });
    const message = {
      id,
      channel_id: channel,
      type: 0,
      content: text,
      author: { id: user, username: "ann", global_name: "Ann" },
      mentions: mentions.map((each) => (each === BOT_ID ? BOT : { id: each, username: `u${each}` })),
      attachments: [],
      ...more,
    };
    const written = this.#written.get(channel) ?? [];
    written.push({ ...message, ...now });
    this.#written.set(channel, written);
    this.dispatch("MESSAGE_CREATE", { ...message, ...(guild ? { guild_id: GUILD } : {}) });
    return id;
  }

  /** Somebody presses a button that the bot has shown. */
  press(label: string, { channel = "42", user = "42" } = {}): void {
    const { message, value } = this.history.button(label, this.#place(channel));
    const data = { custom_id: value, component_type: 2 };
    this.#interact(3, { data, message: { id: message.id } }, { channel, user });
  }

  /** Somebody uses the platform's own menu. */
  command(name: string, text: string, { channel = "42", user = "42" } = {}): void {
    this.#interact(
      2,
      { data: { name, options: [{ name: "text", type: 3, value: text }] } },
      { channel, user },
    );
  }

  /** An event comes, as it stands. */
  dispatch(t: string, d: unknown): void {
    if (this.#session === "") return;
    const frame: Frame = { op: 0, d, s: this.#log.length + 1, t };
    this.#log.push(frame);
    for (const each of this.faults.ofEvents([frame])) this.#tell(each);
  }

  /** The connection breaks; the session stays. */
  cut(code?: number): void {
    if (code === undefined) this.#socket?.terminate();
    else this.#socket?.close(code);
    this.#socket = undefined;
  }

  /** The session ends, too: it cannot be resumed. */
  forget(): void {
    this.#session = "";
    this.cut();
  }

  /** The gateway says something that is no event. */
  frame(op: number, d: unknown): void {
    this.#tell({ op, d, s: null, t: null });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#gateway.clients) socket.terminate();
    this.#gateway.close();
    await this.#server[Symbol.asyncDispose]();
  }

  #greet(socket: WebSocket): void {
    const hello = { heartbeat_interval: this.heartbeatMs };
    socket.send(JSON.stringify({ op: 10, d: hello, s: null, t: null }));
    socket.on("message", (data: Buffer) => {
      const { op, d } = JSON.parse(data.toString("utf8")) as { op: number; d: Record<string, unknown> };
      this.ops.push(op);
      if (op === 1 && this.acknowledges) socket.send(JSON.stringify({ op: 11, d: null, s: null, t: null }));
      if (op === 2) this.#identify(socket, d);
      if (op === 6) this.#resume(socket, d);
      this.history.changed();
    });
  }

  #identify(socket: WebSocket, { token, intents }: Record<string, unknown>): void {
    const refusal =
      this.#options.refuseWith ??
      (token !== FAKE_TOKEN ? 4004 : (Number(intents) & CONTENT_INTENT) === 0 ? 4014 : undefined);
    if (refusal !== undefined) return socket.close(refusal);
    this.#socket = socket;
    this.#session = `session-${(this.#sessions += 1)}`;
    this.#log = [];
    const resumeUrl = this.url.replace("http", "ws");
    this.dispatch("READY", { v: 10, user: BOT, session_id: this.#session, resume_gateway_url: resumeUrl });
  }

  #resume(socket: WebSocket, { token, session_id: session, seq }: Record<string, unknown>): void {
    if (token !== FAKE_TOKEN || session !== this.#session)
      return socket.send(JSON.stringify({ op: 9, d: false, s: null, t: null }));
    this.#socket = socket;
    for (const frame of this.#log.slice(Number(seq))) this.#tell(frame);
    this.dispatch("RESUMED", {});
  }

  #tell(frame: Frame): void {
    this.#socket?.send(JSON.stringify(frame));
  }

  #interact(
    type: number,
    more: Readonly<Record<string, unknown>>,
    { channel, user }: { readonly channel: string; readonly user: string },
  ): void {
    const id = this.#id();
    const about = { id: channel, type: 1 };
    const from = { id: user, username: "ann", global_name: "Ann" };
    this.dispatch("INTERACTION_CREATE", {
      id,
      token: `token-${id}`,
      type,
      channel: about,
      user: from,
      ...more,
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "GET", url = "/", headers } = request;
    const file = /^\/cdn\/(.+)$/.exec(url)?.[1];
    if (file !== undefined) {
      const bytes = this.files.get(file);
      return void response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    }
    this.calls.push(`${method} ${url}`);
    if (headers.authorization !== `Bot ${FAKE_TOKEN}`)
      return answer(response, 401, { message: "401: Unauthorized" });
    const fault = method === "GET" || url.includes("/commands") ? undefined : this.faults.ofRequest();
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "limit")
      return answer(response, 429, { message: "You are being rate limited.", retry_after: 0.05 });
    this.#options.onRequest?.(`${method} ${url}`, "before");
    const [status, result] = this.#carryOut(
      method,
      url,
      bodyOf(headers["content-type"], Buffer.concat(chunks)),
    );
    if (fault === "lose") return void request.socket.destroy();
    if (fault === "garble") return void response.end("<html>502</html>");
    answer(response, status, result);
    this.#options.onRequest?.(`${method} ${url}`, "after");
    this.history.changed();
  }

  #carryOut(method: string, url: string, body: Record<string, unknown>): readonly [number, unknown] {
    const [, room = "", id = "", what = "", messageId] =
      /^\/(\w+)\/([^/?]+)(?:\/(\w+))?(?:\/([^/?]+))?/.exec(url) ?? [];
    if (url === "/users/@me") return [200, BOT];
    if (url === "/applications/@me") return [200, { id: "901" }];
    if (url === "/gateway/bot") return [200, { url: this.url.replace("http", "ws"), shards: 1 }];
    if (room === "applications") {
      this.commands = body as unknown as typeof this.commands;
      return [200, []];
    }
    if (room === "interactions" || room === "webhooks") {
      this.interactions.push({ path: url, body });
      return room === "interactions" ? [204, undefined] : [200, { id: this.#id() }];
    }
    if (room === "guilds")
      return [200, [{ id: GUILD }, { id: BOT_ROLE, name: "agent", tags: { bot_id: BOT_ID } }]];
    if (what === "") {
      const parent = this.threads.get(id);
      return [200, parent === undefined ? { id, type: 0 } : { id, type: 11, parent_id: parent }];
    }
    if (what === "typing") return (this.history.typing.push(id), [204, undefined]);
    if (method === "GET" && messageId !== undefined)
      return [200, this.#written.get(id)?.find((each) => each["id"] === messageId)];
    if (method === "GET") return [200, this.#after(id, /after=(\d+)/.exec(url)?.[1] ?? "0")];
    const { content = "" } = body as { content?: string };
    // What calls people by default may not be said without a word on whom it calls.
    if (JSON.stringify(body["allowed_mentions"]) !== '{"parse":[]}') {
      this.history.lacks('allowed_mentions: {"parse":[]}');
      return [400, { code: 50035, message: "Invalid Form Body" }];
    }
    if (content.length > 2000) return [400, { code: 50035, message: "Invalid Form Body" }];
    return method === "POST" ? this.#post(id, body, content) : this.#change(id, messageId ?? "", body);
  }

  #post(channel: string, body: Record<string, unknown>, content: string): readonly [number, unknown] {
    const nonce = `${channel} ${String(body["nonce"])}`;
    if (String(body["nonce"]).length > 25) return [400, { code: 50035, message: "Invalid Form Body" }];
    const known = this.#nonces.get(nonce);
    const there = this.history.messages.find((each) => each.id === known);
    if (there !== undefined && body["enforce_nonce"] === true)
      return [200, { id: there.id, content: there.text }];
    if (content === "" && body["attachments"] === undefined)
      return [400, { code: 50006, message: "Cannot send an empty message" }];
    const id = this.#id();
    this.#nonces.set(nonce, id);
    const file = body[UPLOADED] as FormPart | undefined;
    if (file !== undefined) this.history.received.push({ name: file.fileName, bytes: file.bytes });
    const files = ((body["attachments"] ?? []) as { filename: string }[]).map(({ filename }) => filename);
    this.history.add({
      id,
      place: this.#place(channel),
      by: "bot",
      text: content,
      buttons: buttonsOf(body),
      files,
    });
    return [200, { id, content }];
  }

  #change(channel: string, id: string, body: Record<string, unknown>): readonly [number, unknown] {
    const chat = this.#place(channel).split("/")[0] ?? "";
    const change = { text: String(body["content"]), buttons: buttonsOf(body) };
    if (this.history.edit(chat, id, change) === undefined)
      return [404, { code: 10008, message: "Unknown Message" }];
    return [200, { id, content: change.text }];
  }

  /** The next hundred, the newest first. */
  #after(channel: string, id: string): readonly unknown[] {
    const later = (this.#written.get(channel) ?? []).filter(
      (each) => BigInt(String(each["id"])) > BigInt(id),
    );
    return later.slice(0, 100).toReversed();
  }

  #place(channel: string): string {
    const parent = this.threads.get(channel);
    return parent === undefined ? channel : `${parent}/${channel}`;
  }

  #id(): string {
    this.#next += 1n;
    return String(this.#next);
  }
}

function buttonsOf({ components }: Record<string, unknown>): { label: string; value: string }[] {
  const rows = (components ?? []) as { components: { label: string; custom_id: string }[] }[];
  return rows.flatMap((row) => row.components.map(({ label, custom_id: value }) => ({ label, value })));
}

/** Where the body of a form has its file. */
const UPLOADED = "files[0]";

/** The body of a request; of a form, its JSON and its file. */
function bodyOf(type: string | undefined, raw: Buffer): Record<string, unknown> {
  if (type?.startsWith("multipart/") !== true)
    return JSON.parse(raw.toString("utf8") || "{}") as Record<string, unknown>;
  const parts = formParts(type, raw);
  const json = JSON.parse(parts.get("payload_json")?.bytes.toString("utf8") ?? "{}") as object;
  return { ...json, [UPLOADED]: parts.get("files[0]") };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? "" : JSON.stringify(body));
}
