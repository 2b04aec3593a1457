import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { Faults } from "../kit/faults.ts";
import { carryOut, type DingtalkAnswer } from "./fake-robot.ts";

/** The one app of the fake. */
const FAKE_ROBOT = { code: "dingfake", secret: "a-secret-of-the-app" };
const MESSAGES = "/v1.0/im/bot/messages/get";
const CARDS = "/v1.0/card/instances/callback";

/** What somebody writes. */
export interface FakeDingtalkMessage {
  readonly text?: string;
  /** The number of a person. */
  readonly user?: number;
  /** A group; its ids begin with `cid`. */
  readonly group?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

interface Waiting {
  readonly id: string;
  readonly topic: string;
  readonly chat: string;
  readonly data: object;
}

/** DingTalk on 127.0.0.1: its API as https://open.dingtalk.com/document says it is, and its stream protocol. */
export class FakeDingtalk implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  readonly files = new Map<string, Uint8Array>();
  /** Requests of the robot that were carried out. */
  readonly requests: { readonly path: string; readonly body: unknown }[] = [];
  /** Answers to pings, as they came. */
  readonly pongs: unknown[] = [];
  /** An error that each message is refused with, while it is there. */
  refusal: DingtalkAnswer | undefined;
  connections = 0;
  tokens = 0;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #unanswered = new Map<string, Waiting>();
  #fresh: Waiting[] = [];
  #open: WebSocket | undefined;
  #nextId = 1;
  #token = "";
  #ticket = "";
  readonly #options: FakeOptions;

  private constructor(options: FakeOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
    this.#server.http.on("upgrade", (request, socket, head) => {
      const ticket = new URL(request.url ?? "/", "http://dingtalk.test").searchParams.get("ticket");
      // A ticket is good for one connection.
      if (ticket !== this.#ticket || this.#ticket === "") return socket.destroy();
      this.#ticket = "";
      this.#sockets.handleUpgrade(request, socket, head, (open) => this.#greet(open));
      return undefined;
    });
  }

  static async start(options: FakeOptions = {}): Promise<FakeDingtalk> {
    const fake = new FakeDingtalk(options);
    await fake.#server.listen(() => fake.#end());
    return fake;
  }

  get url(): string {
    return this.#server.url;
  }

  get account() {
    return { baseUrl: this.url, secrets: { clientSecret: FAKE_ROBOT.secret }, from: FAKE_ROBOT.code };
  }

  get env() {
    return { DINGTALK_CLIENT_SECRET: FAKE_ROBOT.secret };
  }

  get unconfirmed(): number {
    return this.#unanswered.size + this.#fresh.length;
  }

  say(person: number, text: string): string {
    this.send({ text, user: person });
    return `staff${person}`;
  }

  /** Files are messages of their own. */
  sayWithFile(person: number, _text: string, { name, bytes }: FakeFile): string {
    const downloadCode = `file${this.#nextId++}`;
    this.files.set(downloadCode, bytes);
    const content = { downloadCode, fileName: name };
    this.send({ user: person, more: { text: undefined, msgtype: "file", content } });
    return `staff${person}`;
  }

  /** There are no threads: each is another group. */
  sayInThread(thread: number, text: string): string {
    this.send({ text: ` ${text}`, user: thread, group: `cid${thread}==` });
    return `cid${thread}==`;
  }

  /** Somebody writes; gives the message's id. */
  send({ text = "", user = 1, group, more }: FakeDingtalkMessage): string {
    const msgId = `msg${this.#nextId++}==`;
    const place = group ?? `staff${user}`;
    this.history.add({ id: msgId, place, by: "person", text });
    this.event(MESSAGES, place, {
      conversationId: group ?? `cidOf${user}==`,
      conversationType: group === undefined ? "1" : "2",
      chatbotUserId: "$:LWCP_v1:$bot",
      robotCode: FAKE_ROBOT.code,
      msgId,
      senderId: `$:LWCP_v1:$${user}`,
      senderStaffId: `staff${user}`,
      senderNick: `Person ${user}`,
      isInAtList: group !== undefined,
      sessionWebhook: `${this.url}/robot/sendBySession?session=${encodeURIComponent(place)}`,
      sessionWebhookExpiredTime: Date.now() + 5_400_000,
      msgtype: "text",
      text: { content: text },
      ...more,
    });
    return msgId;
  }

  /** Something happens. */
  event(topic: string, chat: string, data: object): void {
    this.#fresh.push({ id: `f${this.#nextId++}`, topic, chat, data });
    if (this.#fresh.length === 1) setImmediate(() => this.#flush());
  }

  /** Somebody presses a button of the newest card that has one with these words. */
  press(label: string, user = 1): void {
    const { message: card, value } = this.history.button(label);
    const content = JSON.stringify({
      cardPrivateData: { actionIds: ["button_1"], params: { answer: value } },
    });
    this.event(CARDS, card.place, {
      type: "actionCallback",
      outTrackId: card.id,
      userId: `staff${user}`,
      userIdType: 1,
      spaceType: "IM",
      content,
      value: content,
    });
  }

  cut(): void {
    this.#open?.terminate();
  }

  /** The server asks for another connection, or for an answer to a ping. */
  system(topic: "disconnect" | "ping", data: object): void {
    const headers = { topic, messageId: `s${this.#nextId++}`, contentType: "application/json" };
    this.#open?.send(
      JSON.stringify({ specVersion: "1.0", type: "SYSTEM", headers, data: JSON.stringify(data) }),
    );
  }

  /** The token of the app is not valid any more. */
  expire(): void {
    this.#token = "gone";
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
      const waiting = { ...next, id: `f${this.#nextId++}` };
      this.#unanswered.set(waiting.id, waiting);
      this.#push(waiting);
    }
  }

  #push({ id, topic, data }: Waiting): void {
    const headers = { topic, messageId: id, contentType: "application/json", time: "1", appId: "a" };
    const frame = { specVersion: "1.0", type: "CALLBACK", headers, data: JSON.stringify(data) };
    this.#open?.send(JSON.stringify(frame));
  }

  #greet(socket: WebSocket): void {
    this.connections += 1;
    this.#open = socket;
    socket.on("message", (bytes: Buffer) => {
      const { code, headers, data } = JSON.parse(String(bytes)) as {
        readonly code: number;
        readonly headers: { readonly messageId: string };
        readonly data: string;
      };
      if (headers.messageId.startsWith("s")) this.pongs.push(JSON.parse(data));
      else if (code === 200) this.#unanswered.delete(headers.messageId);
      this.history.changed();
    });
    for (const waiting of this.#unanswered.values()) this.#push(waiting);
    this.history.changed();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", "http://dingtalk.test");
    const body = Buffer.concat(chunks);
    const opened = this.#withoutToken(url.pathname, body);
    if (opened !== undefined) return answer(response, opened);
    const file = /^\/oss\/([\w-]+)$/.exec(url.pathname)?.[1];
    if (file !== undefined) return void response.end(this.files.get(file));
    const given = request.headers["x-acs-dingtalk-access-token"] ?? url.searchParams.get("access_token");
    const isOpen = url.pathname === "/robot/sendBySession";
    if (!isOpen && given !== this.#token)
      return answer(response, [400, { code: "InvalidAuthentication", message: "不合法的access_token" }]);
    const fault = this.faults.ofRequest();
    this.#options.onRequest?.(url.pathname, "before");
    response.once("close", () => this.#options.onRequest?.(url.pathname, "after"));
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "limit") {
      response.setHeader("retry-after", "0");
      const code = "Forbidden.AccessDenied.QpsLimitForApi";
      return answer(response, [403, { code, message: "URL的QPS达到上限" }]);
    }
    const type = request.headers["content-type"] ?? "";
    const result = carryOut(this, { method: request.method ?? "", url, type, body }, () => this.#nextId++);
    if (fault === "lose") return void request.socket.destroy();
    if (fault === "garble") return void response.end("<html>502</html>");
    answer(response, result);
  }

  #withoutToken(path: string, body: Buffer): DingtalkAnswer | undefined {
    const isToken = path === "/v1.0/oauth2/accessToken";
    if (!isToken && path !== "/v1.0/gateway/connections/open") return undefined;
    const given = JSON.parse(String(body)) as Record<string, unknown>;
    const [id, secret] = isToken
      ? [given["appKey"], given["appSecret"]]
      : [given["clientId"], given["clientSecret"]];
    if (id !== FAKE_ROBOT.code || secret !== FAKE_ROBOT.secret)
      return [400, { code: "invalidClientIdOrSecret", message: "无效的clientId或者clientSecret" }];
    if (isToken) {
      this.tokens += 1;
      this.#token = `t${this.#nextId++}`;
      return [200, { accessToken: this.#token, expireIn: 7200 }];
    }
    const topics = (given["subscriptions"] as readonly { type: string; topic: string }[]).filter(
      ({ type }) => type === "CALLBACK",
    );
    if (!topics.some(({ topic }) => topic === MESSAGES))
      return [400, { code: "param.empty", message: "topics" }];
    this.#ticket = `ticket/${this.#nextId++}`;
    return [200, { endpoint: `${this.url.replace("http", "ws")}/connect`, ticket: this.#ticket }];
  }
}

function answer(response: ServerResponse, [status, body]: DingtalkAnswer): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
