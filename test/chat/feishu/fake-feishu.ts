import { createCipheriv, createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { WebhookRequest } from "../../../src/chat/index.ts";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { Faults } from "../kit/faults.ts";
import { readWire, wireOf } from "./fake-frames.ts";
import { FakeMessages, type FeishuAnswer, said } from "./fake-messages.ts";

/** The one app of the fake. */
const FAKE_APP = { id: "cli_fake", secret: "a-secret-of-the-app" };
const FAKE_KEYS = { encryptKey: "a-key-of-the-tests", verificationToken: "a-token-of-the-tests" };
export const BOT = "ou_bot";
const SERVICE = 33_554_678;

/** What somebody writes. */
export interface FakeFeishuMessage {
  readonly text?: string;
  /** The number of a person. */
  readonly user?: number;
  /** `oc_p1` is the direct chat of person 1; `oc_g…` a group. */
  readonly chat?: string;
  /** The first message of the thread that it is in. */
  readonly root?: string;
  readonly mentions?: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
}

interface Waiting {
  readonly id: string;
  readonly chat: string;
  readonly payload: object;
}

/** Feishu on 127.0.0.1, as https://open.feishu.cn/document says it is: the Open API and the long connection. */
export class FakeFeishu implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  readonly messages: FakeMessages;
  /** Answers to callbacks, as people see them. */
  readonly toasts: string[] = [];
  readonly pings: number[] = [];
  connections = 0;
  tokens = 0;
  /** Frames that events are cut into. */
  segments = 1;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #unacknowledged = new Map<string, Waiting>();
  #fresh: Waiting[] = [];
  #open: WebSocket | undefined;
  #nextId = 1;
  #token = "";
  readonly #options: FakeOptions;

  private constructor(options: FakeOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
    this.messages = new FakeMessages(this.history);
    this.#server.http.on("upgrade", (request, socket, head) =>
      this.#sockets.handleUpgrade(request, socket, head, (open) => this.#greet(open)),
    );
  }

  static async start(options: FakeOptions = {}): Promise<FakeFeishu> {
    const fake = new FakeFeishu(options);
    await fake.#server.listen(() => fake.#end());
    return fake;
  }

  get url(): string {
    return this.#server.url;
  }

  get account() {
    return { baseUrl: this.url, secrets: { appSecret: FAKE_APP.secret }, from: FAKE_APP.id };
  }

  get env() {
    return { FEISHU_APP_SECRET: FAKE_APP.secret };
  }

  get unconfirmed(): number {
    return this.#unacknowledged.size + this.#fresh.length;
  }

  say(person: number, text: string): string {
    this.send({ text, user: person });
    return `oc_p${person}`;
  }

  /** Files are messages of their own. */
  sayWithFile(person: number, _text: string, { name, bytes }: FakeFile): string {
    const key = `file_p${this.#nextId++}`;
    this.messages.files.set(key, bytes);
    const content = JSON.stringify({ file_key: key, file_name: name });
    this.send({ user: person, more: { message_type: "file", content } });
    return `oc_p${person}`;
  }

  sayInThread(thread: number, text: string): string {
    const chat = `oc_g${thread}`;
    const id = this.send({ text: `@_user_1 ${text}`, user: thread, chat, mentions: [BOT] });
    return `${chat}/${id}`;
  }

  /** Somebody writes; gives the message's id. */
  send(message: FakeFeishuMessage): string {
    const { text = "", user = 1, chat = `oc_p${user}`, root, mentions = [], more } = message;
    const id = this.messages.newId();
    const isDirect = chat.startsWith("oc_p");
    const place = isDirect && root === undefined ? chat : `${chat}/${root ?? id}`;
    this.history.add({ id, place, by: "person", text });
    this.messages.know(id, chat);
    this.event("im.message.receive_v1", chat, {
      sender: { sender_id: { open_id: `ou_${user}`, union_id: `on_${user}` }, sender_type: "user" },
      message: {
        message_id: id,
        ...(root === undefined ? {} : { root_id: root, parent_id: root, thread_id: `omt_${root}` }),
        chat_id: chat,
        chat_type: isDirect ? "p2p" : "group",
        message_type: "text",
        content: JSON.stringify({ text }),
        mentions: mentions.map((open_id, index) => ({
          key: `@_user_${index + 1}`,
          id: { open_id },
          name: open_id === BOT ? "Agent" : `Name of ${open_id}`,
        })),
        ...more,
      },
    });
    return id;
  }

  /** Something happens. */
  event(type: string, chat: string, event: object): void {
    this.#fresh.push({
      id: `ev${this.#nextId}`,
      chat,
      payload: envelope(`ev${this.#nextId++}`, type, event),
    });
    if (this.#fresh.length === 1) setImmediate(() => this.#flush());
  }

  /** Somebody presses a button of the newest message that has one with these words. */
  press(label: string, user = 1): void {
    const { message, value } = this.history.button(label);
    const [chat = ""] = message.place.split("/");
    this.event("card.action.trigger", chat, {
      operator: { open_id: `ou_${user}`, tenant_key: "t" },
      token: "c-1",
      action: { tag: "button", value: JSON.parse(value) as unknown },
      host: "im_message",
      context: { open_message_id: message.id, open_chat_id: chat },
    });
  }

  cut(): void {
    this.#open?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end();
    await this.#server[Symbol.asyncDispose]();
  }

  #end(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  /** What happened together comes with its faults; of one chat in its order all the same. */
  #flush(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const next of this.faults.inOrder(fresh, ({ chat }) => chat)) {
      // Pushed twice, it is so under two ids.
      const waiting = { ...next, id: `push${this.#nextId++}` };
      this.#unacknowledged.set(waiting.id, waiting);
      this.#push(waiting);
    }
  }

  #push({ id, payload }: Waiting): void {
    const bytes = Buffer.from(JSON.stringify(payload));
    const step = Math.ceil(bytes.length / this.segments);
    for (let seq = 0; seq < this.segments; seq += 1) {
      const headers = {
        type: "event",
        message_id: id,
        sum: String(this.segments),
        seq: String(seq),
        trace_id: "t",
      };
      const part = bytes.subarray(seq * step, (seq + 1) * step);
      this.#open?.send(wireOf({ service: SERVICE, method: 1, headers, payload: part }));
    }
  }

  #greet(socket: WebSocket): void {
    this.connections += 1;
    this.#open = socket;
    socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) return socket.terminate();
      const { service, method, headers, payload } = readWire(data);
      if (service !== SERVICE) return socket.terminate();
      if (method === 0) {
        this.pings.push(Date.now());
        const config = { ReconnectCount: -1, ReconnectInterval: 120, ReconnectNonce: 30, PingInterval: 120 };
        const pong = {
          service,
          method: 0,
          headers: { type: "pong" },
          payload: Buffer.from(JSON.stringify(config)),
        };
        socket.send(wireOf(pong));
        return this.history.changed();
      }
      const { code, data: answer } = JSON.parse(String(payload)) as { code: number; data?: string };
      if (code === 200 && headers["biz_rt"] !== undefined)
        this.#unacknowledged.delete(headers["message_id"] ?? "");
      if (answer !== undefined) this.toasts.push(String(Buffer.from(answer, "base64")));
      this.history.changed();
    });
    for (const waiting of this.#unacknowledged.values()) this.#push(waiting);
    this.history.changed();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", "http://feishu.test");
    const call = {
      method: request.method ?? "",
      url,
      type: request.headers["content-type"] ?? "",
      body: Buffer.concat(chunks),
    };
    const secretly = this.#withoutToken(url.pathname, call.body);
    if (secretly !== undefined) return answer(response, secretly);
    if (request.headers.authorization !== `Bearer ${this.#token}`)
      return answer(response, [400, { code: 99_991_663, msg: "Invalid access token for authorization." }]);
    const fault = request.method === "GET" ? undefined : this.faults.ofRequest();
    this.#options.onRequest?.(url.pathname, "before");
    response.once("close", () => this.#options.onRequest?.(url.pathname, "after"));
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "limit") {
      response.setHeader("x-ogw-ratelimit-reset", "0");
      return answer(response, [429, { code: 99_991_400, msg: "request trigger frequency limit" }]);
    }
    const file = this.messages.fileAt(url);
    if (file !== undefined) {
      response.writeHead(200, { "content-type": "application/octet-stream" });
      return void response.end(file);
    }
    const result = this.messages.call(call);
    if (fault === "lose") return void request.socket.destroy();
    if (fault === "garble") {
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end("<html>502</html>");
    }
    answer(response, result);
  }

  /** The token of the app is not valid any more. */
  expire(): void {
    this.#token = "gone";
  }

  #withoutToken(path: string, body: Buffer): FeishuAnswer | undefined {
    if (path === "/open-apis/auth/v3/tenant_access_token/internal") {
      const { app_id: id, app_secret: secret } = JSON.parse(String(body)) as Record<string, unknown>;
      if (id !== FAKE_APP.id || secret !== FAKE_APP.secret)
        return [200, { code: 10_014, msg: "app secret invalid" }];
      this.tokens += 1;
      this.#token = `t-${this.#nextId++}`;
      return [200, { code: 0, msg: "ok", tenant_access_token: this.#token, expire: 7200 }];
    }
    if (path !== "/callback/ws/endpoint") return undefined;
    const { AppID: id, AppSecret: secret } = JSON.parse(String(body)) as Record<string, unknown>;
    if (id !== FAKE_APP.id || secret !== FAKE_APP.secret) return [200, { code: 514, msg: "auth failed" }];
    const URL = `${this.url.replace("http", "ws")}/ws/v2?device_id=1&service_id=${SERVICE}`;
    const ClientConfig = {
      ReconnectCount: -1,
      ReconnectInterval: 120,
      ReconnectNonce: 30,
      PingInterval: 120,
    };
    return said({ URL, ClientConfig });
  }
}

function answer(response: ServerResponse, [status, body]: FeishuAnswer): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}

const envelope = (id: string, type: string, event: object) => ({
  schema: "2.0",
  header: {
    event_id: id,
    event_type: type,
    create_time: "1",
    token: FAKE_KEYS.verificationToken,
    app_id: FAKE_APP.id,
  },
  event,
});

/** A request as Feishu posts it: encrypted and signed. */
export function posted(
  content: object,
  { encryptKey = FAKE_KEYS.encryptKey, at = Date.now() } = {},
): WebhookRequest {
  const iv = Buffer.alloc(16, 7);
  const cipher = createCipheriv("aes-256-cbc", createHash("sha256").update(encryptKey).digest(), iv);
  const encrypt = Buffer.concat([iv, cipher.update(JSON.stringify(content)), cipher.final()]).toString(
    "base64",
  );
  const body = Buffer.from(JSON.stringify({ encrypt }));
  const time = String(Math.floor(at / 1000));
  const signature = createHash("sha256").update(`${time}n0nce${encryptKey}`).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-lark-request-timestamp": time,
    "x-lark-request-nonce": "n0nce",
    "x-lark-signature": signature,
  };
  return { method: "POST", headers, query: {}, body };
}

/** A message as a request tells it. */
export const postedMessage = (text: string, encryptKey?: string): WebhookRequest =>
  posted(
    envelope("ev-posted", "im.message.receive_v1", {
      sender: { sender_id: { open_id: "ou_1" }, sender_type: "user" },
      message: {
        message_id: "om_posted",
        chat_id: "oc_p1",
        chat_type: "p2p",
        message_type: "text",
        content: JSON.stringify({ text }),
      },
    }),
    encryptKey === undefined ? {} : { encryptKey },
  );

/** The settings of an account whose events are posted. */
export const FAKE_WEBHOOK = { account: { secrets: FAKE_KEYS }, secret: FAKE_KEYS.encryptKey };
