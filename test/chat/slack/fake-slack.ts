import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { Faults } from "../kit/faults.ts";
import { type Answer, done, FakeWebApi, refused } from "./fake-web-api.ts";

/** What somebody sends. */
export interface FakeMessage {
  readonly text: string;
  /** `D1` is the direct chat of person 1; `C1` a channel. */
  readonly channel?: string;
  /** The number of a person. */
  readonly user?: number;
  readonly thread?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The tokens of the fake's one app. */
const FAKE_TOKENS = { token: "xoxb-fake-token", appToken: "xapp-fake-token" };

interface Envelope {
  readonly envelope_id: string;
  readonly type: string;
  readonly payload: { readonly [name: string]: unknown };
  readonly channel: string;
}

/** Slack on 127.0.0.1, as https://docs.slack.dev says it is: the Web API, Socket Mode, files. */
export class FakeSlack implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  readonly api: FakeWebApi;
  /** Envelopes that were acknowledged, by their ids. */
  readonly acknowledged: string[] = [];
  connections = 0;
  /** Why each connection is to be made anew as soon as it is greeted; it stays when absent. */
  endsAtOnce: string | undefined;
  /** Seconds for which the next message is put off. A message that comes sooner is a breach. */
  putOff = 0;
  /** On the machine's own clock, milliseconds. */
  #openFrom = 0;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #unacknowledged = new Map<string, Envelope>();
  #fresh: Envelope[] = [];
  #open: WebSocket | undefined;
  #nextId = 1;
  readonly #options: FakeOptions;

  private constructor(options: FakeOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
    this.api = new FakeWebApi(this.history, () => this.url);
    this.#server.http.on("upgrade", (request, socket, head) =>
      this.#sockets.handleUpgrade(request, socket, head, (open) => this.#greet(open)),
    );
  }

  static async start(options: FakeOptions = {}): Promise<FakeSlack> {
    const fake = new FakeSlack(options);
    await fake.#server.listen(() => fake.#end());
    return fake;
  }

  get url(): string {
    return this.#server.url;
  }

  get account() {
    return { baseUrl: `${this.url}/api`, secrets: FAKE_TOKENS };
  }

  get env() {
    return { SLACK_TOKEN: FAKE_TOKENS.token, SLACK_APP_TOKEN: FAKE_TOKENS.appToken };
  }

  say(person: number, text: string): string {
    this.send({ text, user: person });
    return `D${person}`;
  }

  sayWithFile(person: number, text: string, { name, mediaType, bytes }: FakeFile): string {
    const id = `FP${this.#nextId++}`;
    this.api.files.set(id, bytes);
    const url = `${this.url}/files/${id}`;
    const file = { id, name, mimetype: mediaType, size: bytes.length, url_private_download: url };
    this.send({ text, user: person, more: { subtype: "file_share", files: [file] } });
    return `D${person}`;
  }

  sayInThread(thread: number, text: string): string {
    const ts = this.send({ text: `<@UBOT> ${text}`, channel: "C1", user: thread });
    return `C1/${ts}`;
  }

  /** Envelopes that the bot has not acknowledged. */
  get unconfirmed(): number {
    return this.#unacknowledged.size;
  }

  /** Somebody sends a message; gives its timestamp, which is its id. */
  send({ text, user = 1, channel = `D${user}`, thread, more }: FakeMessage): string {
    const ts = this.api.nextTs();
    const isDirect = channel.startsWith("D");
    const place = isDirect && thread === undefined ? channel : `${channel}/${thread ?? ts}`;
    this.history.add({ id: ts, place, by: "person", text });
    const type = isDirect ? "im" : "channel";
    const threaded = thread === undefined ? {} : { thread_ts: thread };
    this.event({
      type: "message",
      user: `U${user}`,
      text,
      ts,
      channel,
      channel_type: type,
      ...threaded,
      ...more,
    });
    return ts;
  }

  /** An event happens, once; its id is the same however often it is sent. */
  event(event: { readonly [name: string]: unknown }): void {
    const payload = { type: "event_callback", event_id: `Ev${this.#nextId++}`, event };
    this.#emit("events_api", payload, String(event["channel"]));
  }

  /** Somebody presses a button under the bot's newest message that has one with these words. */
  press(label: string, user = 1): void {
    const payload = this.pressed(label, user);
    this.#emit("interactive", payload, payload.container.channel_id);
  }

  /** What Slack tells of such a press. */
  pressed(label: string, user: number) {
    const { message, value } = this.history.button(label);
    const [channel = "", thread] = message.place.split("/");
    return {
      type: "block_actions",
      user: { id: `U${user}`, username: "ann" },
      container: { type: "message", message_ts: message.id, channel_id: channel },
      message: { ts: message.id, ...(thread === undefined ? {} : { thread_ts: thread }) },
      actions: [{ type: "button", action_id: "answer_0", value, action_ts: this.api.nextTs() }],
    };
  }

  /** Somebody types one of Slack's own commands. */
  command(command: string, text: string): void {
    const payload = { command, text, channel_id: "D1", user_id: "U1", trigger_id: `t${this.#nextId++}` };
    this.#emit("slash_commands", payload, "D1");
  }

  /** The connection breaks. */
  cut(): void {
    this.#open?.terminate();
  }

  /** Slack asks for another connection. */
  refresh(reason: string): void {
    this.#open?.send(JSON.stringify({ type: "disconnect", reason, debug_info: {} }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end();
    await this.#server[Symbol.asyncDispose]();
  }

  #end(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  #emit(type: string, payload: Envelope["payload"], channel: string): void {
    this.#fresh.push({ envelope_id: `e${this.#nextId++}`, type, payload, channel });
    if (this.#fresh.length === 1) setImmediate(() => this.#flush());
  }

  /** What happened together comes with its faults; of one channel in its order all the same. */
  #flush(): void {
    const shuffled = this.faults.ofEvents(this.#fresh);
    const lines = Map.groupBy(shuffled, ({ channel }) => channel);
    for (const line of lines.values()) line.sort((a, b) => this.#fresh.indexOf(a) - this.#fresh.indexOf(b));
    this.#fresh = [];
    for (const { channel } of shuffled) {
      const next = lines.get(channel)?.shift();
      // Sent twice it is in two envelopes.
      const envelope = next && { ...next, envelope_id: `e${this.#nextId++}` };
      if (envelope === undefined) continue;
      this.#unacknowledged.set(envelope.envelope_id, envelope);
      this.#send(envelope, 0);
    }
  }

  #send({ channel: _channel, ...envelope }: Envelope, attempt: number): void {
    this.#open?.send(
      JSON.stringify({ ...envelope, accepts_response_payload: false, retry_attempt: attempt }),
    );
  }

  #greet(socket: WebSocket): void {
    this.connections += 1;
    this.#open = socket;
    socket.on("message", (data: Buffer) => {
      const { envelope_id: id } = JSON.parse(data.toString("utf8")) as { envelope_id: string };
      if (this.#unacknowledged.delete(id)) this.acknowledged.push(id);
      this.history.changed();
    });
    socket.send(JSON.stringify({ type: "hello", num_connections: 1, connection_info: { app_id: "A1" } }));
    if (this.endsAtOnce !== undefined) this.refresh(this.endsAtOnce);
    for (const envelope of this.#unacknowledged.values()) this.#send(envelope, 1);
    this.history.changed();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { pathname } = new URL(request.url ?? "/", "http://slack.test");
    const method = /^\/api\/([\w.]+)$/.exec(pathname)?.[1];
    const { authorization } = request.headers;
    if (method === undefined) return this.#serveFile(pathname, { authorization, body }, response);
    const wanted = method === "apps.connections.open" ? FAKE_TOKENS.appToken : FAKE_TOKENS.token;
    if (authorization !== `Bearer ${wanted}`) return answer(response, refused("invalid_auth"));
    const isFaulty = !/^(?:auth\.test|apps\.connections\.open|users\.info)$/.test(method);
    const fault = isFaulty ? this.faults.ofRequest() : undefined;
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "limit") {
      response.setHeader("retry-after", "0");
      return answer(response, [429, { ok: false, error: "ratelimited" }]);
    }
    if (method === "chat.postMessage") {
      if (performance.now() < this.#openFrom)
        this.history.breaches.push({ place: method, what: "it came before its Retry-After was over" });
      if (this.putOff > 0) {
        response.setHeader("retry-after", String(this.putOff));
        this.#openFrom = performance.now() + 1000 * this.putOff;
        this.putOff = 0;
        return answer(response, [429, { ok: false, error: "ratelimited" }]);
      }
    }
    this.#options.onRequest?.(method, "before");
    const result =
      method === "apps.connections.open"
        ? done({ url: `${this.url.replace("http", "ws")}/link/?ticket=${this.#nextId++}` })
        : this.api.call(method, fieldsOf(request.headers["content-type"], body.toString("utf8")));
    if (fault === "lose") return void request.socket.destroy();
    if (fault === "garble") return void response.end("<html>502</html>");
    answer(response, result);
    this.#options.onRequest?.(method, "after");
    this.history.changed();
  }

  #serveFile(
    path: string,
    { authorization, body }: { readonly authorization: string | undefined; readonly body: Buffer },
    response: ServerResponse,
  ): void {
    const id = path.split("/").at(-1) ?? "";
    if (path.startsWith("/upload/")) {
      this.api.files.set(id, body);
      return void response.end("OK");
    }
    const bytes = this.api.files.get(id);
    if (bytes === undefined || authorization !== `Bearer ${FAKE_TOKENS.token}`) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      return void response.end("<html>Sign in</html>");
    }
    response.end(bytes);
  }
}

function answer(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}

/** The arguments of a method, as the form that it would be. */
function fieldsOf(type: string | undefined, body: string): URLSearchParams {
  if (type?.startsWith("application/json") !== true) return new URLSearchParams(body);
  const given = Object.entries(JSON.parse(body) as Record<string, unknown>);
  return new URLSearchParams(
    given.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}
