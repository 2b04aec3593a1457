import { createCipheriv, createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { WebhookRequest } from "../../../src/chat/index.ts";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { Faults } from "../kit/faults.ts";

const BOT = { id: "aibFake", secret: "a-secret-of-the-bot" };
const APP = { corp: "ww0fake", agent: 1_000_002, secret: "a-secret-of-the-app" };
const KEYS = { callbackToken: "a-token-of-the-tests", aesKey: "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG" };
const FILE_KEY = Buffer.alloc(32, 9);

/** What somebody writes. */
export interface FakeWecomMessage {
  readonly text?: string;
  /** The number of a person. */
  readonly user?: number;
  readonly group?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

interface Frame {
  readonly cmd: string;
  readonly headers: { readonly req_id: string };
  readonly body?: Readonly<Record<string, unknown>>;
}

interface Waiting {
  /** Its place in the order in which things happened. */
  readonly at: number;
  readonly chat: string;
  readonly frame: object;
}

interface Card {
  readonly card_type: string;
  readonly task_id: string;
  readonly main_title: { readonly title: string };
  readonly button_list?: readonly { readonly text: string; readonly key: string }[];
}

/** WeCom on 127.0.0.1, as https://developer.work.weixin.qq.com/document says it is: an AI bot's long connection, and an app's API. */
export class FakeWecom implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  readonly files = new Map<string, Uint8Array>();
  /** Requests that were carried out. */
  readonly requests: { readonly cmd: string; readonly body: unknown }[] = [];
  /** What those are shown who pressed a button. */
  readonly shown: string[] = [];
  connections = 0;
  tokens = 0;
  pings = 0;
  /** A code that each message is refused with, while it is there. */
  refusal: number | undefined;
  /** The same for cards alone. */
  cardRefusal: number | undefined;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #waiting: Waiting[] = [];
  readonly #cards = new Set<string>();
  #isFlushing = false;
  #open: WebSocket | undefined;
  #nextId = 1;
  #token = "";

  readonly #options: FakeOptions;

  private constructor(options: FakeOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
    this.#server.http.on("upgrade", (request, socket, head) =>
      this.#sockets.handleUpgrade(request, socket, head, (open) => this.#greet(open)),
    );
  }

  static async start(options: FakeOptions = {}): Promise<FakeWecom> {
    const fake = new FakeWecom(options);
    await fake.#server.listen(() => fake.#end());
    return fake;
  }

  get url(): string {
    return this.#server.url;
  }

  get account() {
    return { baseUrl: this.url, secrets: { secret: BOT.secret }, from: BOT.id };
  }

  get env() {
    return { WECOM_SECRET: BOT.secret };
  }

  get timesConnected(): number {
    return this.connections;
  }

  /** What was handed over is forgotten: only what could not be is kept. */
  get unconfirmed(): number {
    return this.#waiting.length;
  }

  say(person: number, text: string): string {
    this.send({ text, user: person });
    return `user${person}`;
  }

  /** There are no threads: each is another group. */
  sayInThread(thread: number, text: string): string {
    this.send({ text: `@Agent ${text}`, user: thread, group: `wr${thread}` });
    return `wr${thread}`;
  }

  /** Files are messages of their own. */
  sayWithFile(person: number, _text: string, { name, bytes }: FakeFile): string {
    const file = { ...this.fileOf(bytes), filename: name };
    this.send({ user: person, more: { text: undefined, msgtype: "file", file } });
    return `user${person}`;
  }

  /** A file as a message names it: encrypted, at an address of its own. */
  fileOf(bytes: Uint8Array): { readonly url: string; readonly aeskey: string } {
    const id = `m${this.#nextId++}`;
    this.files.set(id, encrypted(FILE_KEY, Buffer.from(bytes)));
    return { url: `${this.url}/media/${id}`, aeskey: FILE_KEY.toString("base64") };
  }

  /** Somebody writes; gives the message's id. */
  send({ text = "", user = 1, group, more }: FakeWecomMessage): string {
    const msgid = `msg${this.#nextId++}`;
    const place = group ?? `user${user}`;
    this.history.add({ id: msgid, place, by: "person", text });
    this.event("aibot_msg_callback", place, {
      msgid,
      aibotid: BOT.id,
      ...(group === undefined ? { chattype: "single" } : { chatid: group, chattype: "group" }),
      from: { userid: `user${user}` },
      msgtype: "text",
      text: { content: text },
      ...more,
    });
    return msgid;
  }

  /** Something happens. */
  event(cmd: string, chat: string, body: object): void {
    const at = this.#nextId++;
    this.#waiting.push({ at, chat, frame: { cmd, headers: { req_id: `cb${this.#nextId++}` }, body } });
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => this.#flush());
  }

  /** Somebody presses a button of the newest card that has one with these words. */
  press(label: string, user = 1): void {
    const { message: card, value: key } = this.history.button(label);
    const isGroup = card.place.startsWith("wr");
    this.event("aibot_event_callback", card.place, {
      msgid: `ev${this.#nextId++}`,
      aibotid: BOT.id,
      ...(isGroup ? { chatid: card.place, chattype: "group" } : { chattype: "single" }),
      from: { userid: `user${user}` },
      msgtype: "event",
      event: { eventtype: "template_card_event", event_key: key, task_id: card.id },
    });
  }

  /** The connection ends behind what was sent: what comes from now on waits for the next one. */
  cut(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.close(1011);
  }

  /** The access token of the app is not valid any more. */
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
    this.#isFlushing = false;
    if (this.#open === undefined) return;
    const fresh = this.#waiting.splice(0).toSorted((a, b) => a.at - b.at);
    this.#hand(
      this.#open,
      this.faults.inOrder(fresh, ({ chat }) => chat),
    );
    this.history.changed();
  }

  /** Hands frames over. They are forgotten when the other side has read them: a ping behind them is answered then. */
  #hand(socket: WebSocket, handed: readonly Waiting[]): void {
    // One for all of them: many pings at once are an attack to the other side.
    const mark = String(this.#nextId++);
    const over = (): void => {
      socket.off("pong", read);
      socket.off("close", again);
    };
    const read = (data: Buffer): void => {
      if (String(data) === mark) over();
    };
    const again = (): void => {
      over();
      this.#waiting.push(...handed);
      this.#flush();
    };
    socket.on("pong", read).once("close", again);
    for (const { frame } of handed) socket.send(JSON.stringify(frame));
    socket.ping(mark);
  }

  #greet(socket: WebSocket): void {
    this.connections += 1;
    let isKnown = false;
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(String(data)) as Frame;
      const { cmd, headers, body = {} } = frame;
      const answer = (errcode: number, errmsg: string): void =>
        socket.send(JSON.stringify({ headers, errcode, errmsg }));
      if (cmd === "aibot_subscribe") {
        isKnown = body["bot_id"] === BOT.id && body["secret"] === BOT.secret;
        if (!isKnown) return answer(40_001, "invalid secret");
        answer(0, "ok");
        this.#open?.close();
        this.#open = socket;
        return this.#flush();
      }
      if (!isKnown) return socket.terminate();
      // It is being closed: nothing is read any more.
      if (socket !== this.#open) return undefined;
      if (cmd === "ping") {
        this.pings += 1;
        this.history.changed();
        return answer(0, "ok");
      }
      this.#options.onRequest?.(cmd, "before");
      const fault = this.faults.ofRequest();
      if (fault === "drop") return this.cut();
      if (fault === "limit") return answer(45_009, "api freq out of limit");
      const [code, words] = this.#carryOut(frame);
      if (fault === "lose") return this.cut();
      if (fault === "garble") return socket.send("<html>");
      answer(code, words);
      this.#options.onRequest?.(cmd, "after");
    });
    socket.on("close", () => {
      if (this.#open === socket) this.#open = undefined;
    });
    this.history.changed();
  }

  #carryOut({ cmd, body = {} }: Frame): readonly [code: number, words: string] {
    this.requests.push({ cmd, body });
    if (cmd === "aibot_respond_update_msg") {
      const card = body["template_card"] as Card;
      if (!this.#cards.has(card.task_id)) return [42_045, "card expired"];
      this.shown.push(card.main_title.title);
      this.history.changed();
      return [0, "ok"];
    }
    const place = String(body["chatid"]);
    if (cmd !== "aibot_send_msg") return [40_008, "invalid cmd"];
    if (!/^(?:user|wr)\d+$/.test(place)) return [40_003, "invalid chatid"];
    return this.#show(place, body);
  }

  /** Shows a message, or says why not. */
  #show(place: string, body: Readonly<Record<string, unknown>>, most = 20_480): readonly [number, string] {
    if (this.refusal !== undefined) return [this.refusal, "refused"];
    const id = `out${this.#nextId++}`;
    if (body["msgtype"] === "markdown") {
      const { content } = body["markdown"] as { readonly content: string };
      const size = Buffer.byteLength(content);
      if (size === 0 || size > most) return [40_058, "content size out of limit"];
      this.history.add({ id, place, by: "bot", text: content });
      return [0, id];
    }
    const card = body["template_card"] as Card;
    if (body["msgtype"] !== "template_card" || card.card_type !== "button_interaction")
      return [40_008, "msgtype"];
    if (this.cardRefusal !== undefined) return [this.cardRefusal, "refused"];
    const buttons = (card.button_list ?? []).map(({ text: label, key: value }) => ({ label, value }));
    if (buttons.length < 1 || buttons.length > 6) return [42_014, "invalid button_list"];
    if (this.#cards.has(card.task_id) || !/^[\w@-]{1,128}$/.test(card.task_id))
      return [42_015, "invalid task_id"];
    this.#cards.add(card.task_id);
    this.history.add({ id: card.task_id, place, by: "bot", text: card.main_title.title, buttons });
    return [0, id];
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", "http://wecom.test");
    const json = (body: object): void => {
      response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
      response.end(JSON.stringify(body));
    };
    const id = /^\/media\/(\w+)$/.exec(url.pathname)?.[1];
    if (id !== undefined) return void response.end(this.files.get(id));
    const of = (name: string): string => url.searchParams.get(name) ?? "";
    if (url.pathname === "/cgi-bin/gettoken") {
      if (of("corpid") !== APP.corp || of("corpsecret") !== APP.secret)
        return json({ errcode: 40_001, errmsg: "invalid credential" });
      this.tokens += 1;
      this.#token = `t${this.#nextId++}`;
      return json({ errcode: 0, errmsg: "ok", access_token: this.#token, expires_in: 7200 });
    }
    if (of("access_token") !== this.#token) return json({ errcode: 40_014, errmsg: "invalid access_token" });
    if (url.pathname === "/cgi-bin/media/get") {
      const media = this.files.get(of("media_id"));
      if (media === undefined) return json({ errcode: 40_007, errmsg: "invalid media_id" });
      response.writeHead(200, { "content-type": "image/png" });
      return void response.end(media);
    }
    const body = JSON.parse(String(Buffer.concat(chunks))) as Readonly<Record<string, unknown>>;
    this.requests.push({ cmd: url.pathname, body });
    if (body["agentid"] !== APP.agent) return json({ errcode: 40_056, errmsg: "invalid agentid" });
    const place = String(body["touser"]);
    if (!place.startsWith("user")) return json({ errcode: 81_013, errmsg: "all users invalid" });
    const [errcode, words] = this.#show(place, body, 2048);
    json(errcode === 0 ? { errcode, errmsg: "ok", msgid: words } : { errcode, errmsg: words });
  }
}

/** Filled up to 32 bytes, as WeCom does it. */
function encrypted(key: Buffer, plain: Buffer): Buffer {
  const padding = 32 - (plain.length % 32);
  const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
  return Buffer.concat([
    cipher.update(Buffer.concat([plain, Buffer.alloc(padding, padding)])),
    cipher.final(),
  ]);
}

/** The settings of an account whose messages are posted, and the token that they are signed with. */
export const FAKE_WECOM_APP = {
  account: { secrets: { ...KEYS, secret: APP.secret }, from: `${APP.corp}/${APP.agent}` },
  secret: KEYS.callbackToken,
};

interface Signing {
  readonly token?: string;
  readonly corp?: string;
  /** Unix milliseconds. */
  readonly at?: number;
}

/** What WeCom encrypts and signs, as the query that proves it. */
function sealed(content: string, { token = KEYS.callbackToken, corp = APP.corp, at = Date.now() }: Signing) {
  const text = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  const key = Buffer.from(`${KEYS.aesKey}=`, "base64");
  const secret = encrypted(
    key,
    Buffer.concat([Buffer.alloc(16, 7), length, text, Buffer.from(corp)]),
  ).toString("base64");
  const timestamp = String(Math.floor(at / 1000));
  const parts = [token, timestamp, "n0nce", secret].toSorted();
  const query = {
    msg_signature: createHash("sha1").update(parts.join("")).digest("hex"),
    timestamp,
    nonce: "n0nce",
  };
  return { secret, query };
}

/** The request by which WeCom finds out whether the address is the owner's. */
export function challenge(words: string, signing: Signing = {}): WebhookRequest {
  const { secret, query } = sealed(words, signing);
  return { method: "GET", headers: {}, query: { ...query, echostr: secret }, body: new Uint8Array() };
}

/** A request as WeCom posts it. */
export function postedXml(inner: string, signing: Signing = {}): WebhookRequest {
  const { secret, query } = sealed(`<xml>${inner}</xml>`, signing);
  const body = `<xml><ToUserName><![CDATA[${APP.corp}]]></ToUserName><Encrypt><![CDATA[${secret}]]></Encrypt><AgentID><![CDATA[1000002]]></AgentID></xml>`;
  return { method: "POST", headers: { "content-type": "text/xml" }, query, body: Buffer.from(body) };
}

/** What somebody wrote to the app. */
export const writtenXml = (text: string, id = "4501"): string =>
  `<ToUserName><![CDATA[${APP.corp}]]></ToUserName><FromUserName><![CDATA[user1]]></FromUserName><CreateTime>1348831860</CreateTime>` +
  `<MsgType><![CDATA[text]]></MsgType><Content><![CDATA[${text}]]></Content><MsgId>${id}</MsgId><AgentID>1000002</AgentID>`;
