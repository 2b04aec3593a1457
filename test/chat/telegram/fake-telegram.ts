import type { IncomingMessage, ServerResponse } from "node:http";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { type FormPart, formParts } from "../kit/form-parts.ts";
import { Faults } from "../kit/faults.ts";

/** The options of a fake of the Bot API. */
export interface FakeTelegramOptions extends FakeOptions {
  /** Messages of one chat, and of the bot, that may come within a second; more than that is refused, and noted. */
  readonly limits?: { readonly chatPerSecond: number; readonly botPerSecond: number };
}

/** What somebody sends. */
export interface FakeMessage {
  readonly text?: string;
  /** Negative for a group. */
  readonly chat?: number;
  readonly topic?: number;
  readonly user?: number;
  readonly name?: string;
  readonly photo?: { readonly id: string; readonly bytes: Uint8Array };
  readonly document?: { readonly id: string; readonly name: string; readonly type: string };
  readonly replyToBot?: boolean;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The token of the fake's one bot. */
export const FAKE_TOKEN = "123456:fake-token-of-the-tests";
const EMPTY_POLL_MS = 500;
const BOT = { id: 999, is_bot: true, first_name: "Agent", username: "agent_bot" };

/** A Bot API on 127.0.0.1, as https://core.telegram.org/bots/api says it is: polling, messages, edits, buttons, files. */
export class FakeTelegram implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  /** Methods that were called, in order. */
  readonly calls: string[] = [];
  readonly #options: FakeTelegramOptions;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  readonly #files = new Map<string, Uint8Array>();
  readonly #spent = new Map<string, number[]>();
  #updates: { readonly update_id: number }[] = [];
  #nextUpdate = 1000;
  #nextMessage = 1;
  #wake: () => void = () => undefined;
  /** Messages that are refused for the moment (502), before anything is done. */
  refuse = 0;
  /** Files that are refused for good (400), and those that are for the moment (502). */
  refusedFiles = 0;
  failedFiles = 0;
  /** Photos are refused, as those are that are too wide. */
  refusesPhotos = false;
  /** Groups that have become supergroups, and their ids now. */
  readonly #moved = new Map<number, number>();
  webhook: { url: string; secret: string } | undefined;
  commands: readonly { readonly command: string }[] = [];

  private constructor(options: FakeTelegramOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
  }

  static async start(options: FakeTelegramOptions = {}): Promise<FakeTelegram> {
    const fake = new FakeTelegram(options);
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
    return { TELEGRAM_TOKEN: FAKE_TOKEN };
  }

  say(person: number, text: string): string {
    this.send({ chat: person, user: person, text });
    return String(person);
  }

  sayWithFile(person: number, text: string, { name, mediaType, bytes }: FakeFile): string {
    const id = `file${this.#files.size}`;
    this.#files.set(id, bytes);
    this.send({ chat: person, user: person, text, document: { id, name, type: mediaType } });
    return String(person);
  }

  sayInThread(thread: number, text: string): string {
    this.send({ chat: -100, topic: thread, text: `@agent_bot ${text}` });
    return `-100/${thread}`;
  }

  /** Updates that the bot has not confirmed. */
  get unconfirmed(): number {
    return this.#updates.length;
  }

  /** Somebody sends a message; gives its id. */
  send({
    text,
    chat = 42,
    topic,
    user = 42,
    name = "Ann",
    photo,
    document,
    replyToBot,
    more,
  }: FakeMessage): number {
    const messageId = this.#nextMessage++;
    const place = placeName(chat, topic);
    this.history.add({ id: String(messageId), place, by: "person", text: text ?? "" });
    if (photo !== undefined) this.#files.set(photo.id, photo.bytes);
    const words = photo === undefined && document === undefined ? { text } : { caption: text };
    this.push({
      message: {
        message_id: messageId,
        from: { id: user, is_bot: false, first_name: name },
        chat: chatOf(chat),
        date: 0,
        ...words,
        entities: mentionsIn(text ?? ""),
        ...(topic === undefined ? {} : { message_thread_id: topic, is_topic_message: true }),
        ...(photo === undefined
          ? {}
          : { photo: [{ file_id: photo.id, file_size: photo.bytes.length, width: 1, height: 1 }] }),
        ...(document === undefined
          ? {}
          : { document: { file_id: document.id, file_name: document.name, mime_type: document.type } }),
        ...(replyToBot === true ? { reply_to_message: { message_id: 0, from: BOT } } : {}),
        ...more,
      },
    });
    return messageId;
  }

  /** Somebody changes a message. */
  edit(
    messageId: number,
    text: string,
    { chat = 42, user = 42 }: Pick<FakeMessage, "chat" | "user"> = {},
  ): void {
    this.push({
      edited_message: {
        message_id: messageId,
        from: { id: user, first_name: "Ann" },
        chat: chatOf(chat),
        date: 0,
        text,
      },
    });
  }

  /** Somebody presses a button under the bot's newest message that has one with these words. */
  press(
    label: string,
    { user = 42, name = "Ann", chat = 42 }: { user?: number; name?: string; chat?: number } = {},
  ): void {
    const { message, value } = this.history.button(label);
    const from = { id: user, is_bot: false, first_name: name };
    const shown = { message_id: Number(message.id), chat: chatOf(chat), date: 0, from: BOT };
    this.push({
      callback_query: {
        id: `click-${this.#nextUpdate}`,
        from,
        message: shown,
        data: value,
        chat_instance: "1",
      },
    });
  }

  /** Somebody puts a sign under a message. */
  react(
    messageId: number,
    emoji: string,
    { user = 42, chat = 42 }: { user?: number; chat?: number } = {},
  ): void {
    const reacting = { id: user, is_bot: false, first_name: "Ann" };
    const given = emoji === "" ? [] : [{ type: "emoji", emoji }];
    this.push({
      message_reaction: {
        chat: chatOf(chat),
        message_id: messageId,
        user: reacting,
        date: 0,
        old_reaction: [],
        new_reaction: given,
      },
    });
  }

  /** A group becomes a supergroup. @param tells - the bot is told of it */
  upgrade(chat: number, to: number, { tells }: { readonly tells: boolean }): void {
    this.#moved.set(chat, to);
    if (!tells) return;
    const said = { from: { id: 42, is_bot: false, first_name: "Ann" }, date: 0 };
    const next = (): number => this.#nextMessage++;
    this.push({ message: { message_id: next(), ...said, chat: chatOf(chat), migrate_to_chat_id: to } });
    this.push({ message: { message_id: next(), ...said, chat: chatOf(to), migrate_from_chat_id: chat } });
  }

  /** An update comes, as it stands. */
  push(update: Readonly<Record<string, unknown>>): void {
    this.#updates.push({ update_id: this.#nextUpdate++, ...update });
    this.#wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wake();
    await this.#server[Symbol.asyncDispose]();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? "";
    const file = new RegExp(`^/file/bot${FAKE_TOKEN}/(.+)$`).exec(path)?.[1];
    if (file !== undefined) return void response.end(this.#files.get(file) ?? "");
    const method = new RegExp(`^/bot${FAKE_TOKEN}/(\\w+)$`).exec(path)?.[1];
    if (method === undefined)
      return answer(response, 404, { ok: false, error_code: 404, description: "Not Found" });
    const raw = Buffer.concat(chunks);
    const body = bodyOf(request, raw);
    this.calls.push(method);
    this.#options.onRequest?.(method, "before");
    response.once("close", () => this.#options.onRequest?.(method, "after"));
    const fault = method === "getUpdates" || method === "getMe" ? undefined : this.faults.ofRequest();
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "limit") return answer(response, 429, tooMany(1));
    const [status, result] = await this.#carryOut(method, body, response);
    if (fault === "lose") return void request.socket.destroy();
    if (fault === "garble") return void response.end("<html>502</html>");
    answer(response, status, result);
  }

  async #carryOut(
    method: string,
    body: Record<string, unknown>,
    response: ServerResponse,
  ): Promise<[number, unknown]> {
    const moved = this.#moved.get(Number(body["chat_id"]));
    if (moved !== undefined) {
      const description = "Bad Request: group chat was upgraded to a supergroup chat";
      const parameters = { migrate_to_chat_id: moved };
      return [400, { ok: false, error_code: 400, description, parameters }];
    }
    switch (method) {
      case "getMe":
        return done(BOT);
      case "setMyCommands":
        this.commands = body["commands"] as typeof this.commands;
        return done(true);
      case "deleteWebhook":
        this.webhook = undefined;
        return done(true);
      case "setWebhook":
        this.webhook = { url: String(body["url"]), secret: String(body["secret_token"]) };
        return done(true);
      case "getUpdates":
        return await this.#poll(body, response);
      case "sendChatAction":
        return this.#counted(body, () => {
          this.history.typing.push(String(body["chat_id"]));
          return done(true);
        });
      case "sendMessage":
        if (this.refuse > 0) {
          this.refuse -= 1;
          return [502, { ok: false, error_code: 502, description: "Bad Gateway" }];
        }
        return this.#counted(body, () => this.#post(body));
      case "sendPhoto":
      case "sendDocument":
        if (this.refusesPhotos && method === "sendPhoto")
          return refused("Bad Request: PHOTO_INVALID_DIMENSIONS");
        if (this.refusedFiles > 0) {
          this.refusedFiles -= 1;
          return refused("Bad Request: wrong file");
        }
        if (this.failedFiles > 0) {
          this.failedFiles -= 1;
          return [502, { ok: false, error_code: 502, description: "Bad Gateway" }];
        }
        return this.#counted(body, () => this.#post(body));
      case "editMessageText":
        return this.#counted(body, () => this.#change(body));
      case "answerCallbackQuery":
        return done(true);
      case "getFile":
        return done({ file_id: body["file_id"], file_path: body["file_id"] });
      default:
        return [404, { ok: false, error_code: 404, description: "Not Found: method not found" }];
    }
  }

  async #poll(
    { offset, timeout = 0, limit = 100 }: Record<string, unknown>,
    response: ServerResponse,
  ): Promise<[number, unknown]> {
    if (typeof offset === "number") this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset);
    this.history.changed();
    if (this.#updates.length === 0 && Number(timeout) > 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        response.once("close", resolve);
        // As the real one does after its timeout, which few wait for here.
        setTimeout(resolve, this.#options.patient === true ? Number(timeout) * 1000 : EMPTY_POLL_MS).unref();
      });
    return done(this.faults.ofEvents(this.#updates.slice(0, Number(limit))));
  }

  #post(body: Record<string, unknown>): [number, unknown] {
    const text = wordsIn(body["text"] ?? body["caption"]);
    if (text === "" && body["text"] !== undefined) return refused("Bad Request: message text is empty");
    if (withoutPastes(text).length > 4096) return refused("Bad Request: message is too long");
    const id = this.#nextMessage++;
    const place = placeName(Number(body["chat_id"]), body["message_thread_id"] as number | undefined);
    const files = ["photo", "document"].filter((key) => body[key] !== undefined);
    for (const key of files) {
      // Forms hold files as their parts.
      const { fileName, bytes } = body[key] as FormPart;
      this.history.received.push({ name: fileName, bytes });
    }
    this.history.add({
      id: String(id),
      place,
      by: "bot",
      text: withoutPastes(text),
      buttons: buttonsOf(body),
      files,
    });
    return done({ message_id: id, chat: chatOf(Number(body["chat_id"])), date: 0 });
  }

  #change(body: Record<string, unknown>): [number, unknown] {
    const text = withoutPastes(wordsIn(body["text"]));
    const [chat, id] = [String(body["chat_id"]), String(body["message_id"])];
    const change = { text, buttons: buttonsOf(body) };
    const known = this.history.messages.find((each) => each.id === id && each.place.split("/")[0] === chat);
    if (known?.by !== "bot") return refused("Bad Request: message to edit not found");
    if (known.text === text && JSON.stringify(known.buttons) === JSON.stringify(change.buttons))
      return refused("Bad Request: message is not modified");
    this.history.edit(chat, id, change);
    return done(true);
  }

  /** Refuses what comes too fast, and notes it: a bot that goes on so is banned. */
  #counted(body: Record<string, unknown>, work: () => [number, unknown]): [number, unknown] {
    const { limits } = this.#options;
    if (limits === undefined) return work();
    const now = performance.now();
    const bounds = [
      [String(body["chat_id"]), limits.chatPerSecond],
      ["bot", limits.botPerSecond],
    ] as const;
    for (const [key, most] of bounds) {
      const recent = (this.#spent.get(key) ?? []).filter((at) => now - at < 1000);
      recent.push(now);
      this.#spent.set(key, recent);
      if (recent.length <= most) continue;
      this.history.breaches.push({ place: key, what: `${recent.length} requests within a second` });
      return [429, tooMany(1)];
    }
    return work();
  }
}

const chatOf = (chat: number) => ({ id: chat, type: chat < 0 ? "supergroup" : "private" });

const placeName = (chat: number, topic: number | undefined): string =>
  topic === undefined ? String(chat) : `${chat}/${topic}`;

const done = (result: unknown): [number, unknown] => [200, { ok: true, result }];

const refused = (description: string): [number, unknown] => [
  400,
  { ok: false, error_code: 400, description },
];

const tooMany = (seconds: number) => ({
  ok: false,
  error_code: 429,
  description: `Too Many Requests: retry after ${seconds}`,
  parameters: { retry_after: seconds },
});

const wordsIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** HTML as it is seen. */
const withoutPastes = (html: string): string =>
  html
    .replaceAll(/<[^<>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");

function buttonsOf({ reply_markup: markup }: Record<string, unknown>): { label: string; value: string }[] {
  const given: unknown = typeof markup === "string" ? JSON.parse(markup) : markup;
  const rows =
    (given as { inline_keyboard?: { text: string; callback_data: string }[][] } | undefined)
      ?.inline_keyboard ?? [];
  return rows.flat().map(({ text, callback_data: value }) => ({ label: text, value }));
}

function mentionsIn(text: string): unknown[] {
  return [...text.matchAll(/(@\w+)|(\/\w+(?:@\w+)?)/g)].map(({ 0: words, index, 1: name }) => ({
    type: name === undefined ? "bot_command" : "mention",
    offset: index,
    length: words.length,
  }));
}

function bodyOf({ headers }: IncomingMessage, raw: Buffer): Record<string, unknown> {
  if (headers["content-type"]?.startsWith("application/json") === true)
    return JSON.parse(raw.toString("utf8") || "{}") as Record<string, unknown>;
  return Object.fromEntries(
    [...formParts(headers["content-type"], raw)].map(([name, part]) => [
      name,
      part.fileName === "" ? part.bytes.toString("utf8") : part,
    ]),
  );
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
