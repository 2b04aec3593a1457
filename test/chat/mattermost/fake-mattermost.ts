import type { IncomingMessage, ServerResponse } from "node:http";
import { WebSocketServer } from "ws";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { Faults } from "../kit/faults.ts";
import { FakeConnections } from "./fake-connections.ts";

/** What somebody writes. */
export interface FakeMessage {
  readonly text?: string;
  /** `dm-<user>` is a direct message; everything else a channel of a team. */
  readonly channel?: string;
  readonly root?: string;
  readonly user?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A post as the server holds it. */
export interface FakePost {
  readonly id: string;
  readonly channel_id: string;
  readonly user_id: string;
  readonly root_id: string;
  readonly create_at: number;
  readonly type: string;
  readonly metadata: Record<string, unknown>;
  readonly file_ids: readonly string[];
  message: string;
  edit_at: number;
  update_at: number;
  delete_at: number;
  props: Record<string, unknown>;
}

/** The token of the fake's one bot. */
export const FAKE_TOKEN = "fake-token-of-the-tests";
/** The fake's one bot. */
const BOT = { id: "bot-id", username: "agent", is_bot: true };

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

/**
 * A server on 127.0.0.1, as https://developers.mattermost.com/api-documentation/ says it is: posts, edits, files, and the
 * WebSocket with its numbered events.
 */
export class FakeMattermost implements FakePlatform {
  readonly history = new ChatHistory();
  readonly faults: Faults;
  /** Requests that were made, in order: `POST /posts`. */
  readonly calls: string[] = [];
  readonly posts = new Map<string, FakePost>();
  readonly files = new Map<string, Uint8Array>();
  readonly connections: FakeConnections;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  readonly #names = new Map<string, string>();
  readonly #pending = new Map<string, string>();
  #next = 1;
  #now = Date.now();

  readonly #options: FakeOptions;

  private constructor(options: FakeOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
    this.connections = new FakeConnections(FAKE_TOKEN, this.history);
    const sockets = new WebSocketServer({ noServer: true });
    this.#server.http.on("upgrade", (request, socket, head) => {
      if (request.url !== "/api/v4/websocket") return void socket.destroy();
      sockets.handleUpgrade(request, socket, head, (opened) => this.connections.take(opened));
    });
  }

  static async start(options: FakeOptions = {}): Promise<FakeMattermost> {
    const fake = new FakeMattermost(options);
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
    return { MATTERMOST_TOKEN: FAKE_TOKEN };
  }

  /** The WebSocket has no acknowledgements: what was told counts as heard. */
  readonly unconfirmed = 0;

  listened(): Promise<void> {
    return this.history.until(() => this.connections.count > 0);
  }

  say(person: number, text: string): string {
    const channel = `dm-${person}`;
    this.send({ channel, user: `person${person}`, text });
    return channel;
  }

  sayWithFile(person: number, text: string, { name, mediaType, bytes }: FakeFile): string {
    const id = `file-${this.#next++}`;
    this.files.set(id, bytes);
    const channel = `dm-${person}`;
    const files = [{ id, name, mime_type: mediaType, size: bytes.length }];
    this.send({ channel, user: `person${person}`, text, more: { metadata: { files } } });
    return channel;
  }

  sayInThread(thread: number, text: string): string {
    const root = this.send({ channel: "town", user: `person${thread}`, text: `@agent ${text}` });
    return `town/${root}`;
  }

  /** Somebody writes; gives the post's id. */
  send({ text = "", channel = "dm-ann", root = "", user = "ann", more }: FakeMessage): string {
    const given = { channel_id: channel, user_id: `${user}-id`, root_id: root, message: text };
    const post = this.#add({ ...given, ...more });
    this.history.add({ id: post.id, place: placeOf(post), by: "person", text });
    this.#posted(post, user);
    return post.id;
  }

  /** Somebody changes a post. */
  edit(id: string, message: string): void {
    const post = this.#known(id);
    post.message = message;
    post.edit_at = post.update_at = this.#tick();
    this.#tell("post_edited", { post: JSON.stringify(post) });
  }

  /** Somebody takes a post back. */
  delete(id: string): void {
    const post = this.#known(id);
    post.delete_at = post.update_at = this.#tick();
    this.#tell("post_deleted", { post: JSON.stringify(post), delete_by: post.user_id });
  }

  /** What the server posts, and where, when somebody presses a button. */
  press(label: string, user = "ann"): { readonly url: URL; readonly body: Uint8Array } {
    const { message, value } = this.history.button(label);
    const body = {
      user_id: `${user}-id`,
      user_name: user,
      channel_id: this.#known(message.id).channel_id,
      post_id: message.id,
      trigger_id: `trigger-${this.#tick()}`,
      type: "button",
      context: {},
    };
    return { url: new URL(value), body: Buffer.from(JSON.stringify(body)) };
  }

  /** The server forgets which posts it has seen, as it does after 30 seconds. */
  forgetPending(): void {
    this.#pending.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connections.cut();
    await this.#server[Symbol.asyncDispose]();
  }

  #known(id: string): FakePost {
    const post = this.posts.get(id);
    if (post === undefined) throw new Error(`There is no post ${id}.`);
    return post;
  }

  #posted(post: FakePost, user: string): void {
    const told = { channel_type: typeOf(post.channel_id), sender_name: `@${user}` };
    this.#tell("posted", { ...told, post: JSON.stringify(post) });
  }

  #tell(event: string, data: Record<string, unknown>): void {
    this.connections.tell(this.faults.ofEvents([{ event, data }]));
  }

  #tick(): number {
    this.#now = Math.max(this.#now + 1, Date.now());
    return this.#now;
  }

  #add(given: Partial<FakePost> & Pick<FakePost, "channel_id" | "user_id" | "message">): FakePost {
    const at = this.#tick();
    const id = `post-${this.#next++}`;
    const times = { create_at: at, update_at: at, edit_at: 0, delete_at: 0 };
    const usual = { id, root_id: "", type: "", props: {}, metadata: {}, file_ids: [], ...times };
    const post: FakePost = { ...usual, ...given };
    this.posts.set(post.id, post);
    return post;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "", this.url);
    const path = url.pathname.replace("/api/v4", "");
    const { method = "" } = request;
    if (request.headers.authorization !== `Bearer ${FAKE_TOKEN}`)
      return answer(response, [401, { message: "Invalid or expired session, please login again." }]);
    const raw = Buffer.concat(chunks);
    this.calls.push(`${method} ${path}`);
    const fault = method === "GET" || path === "/users/ids" ? undefined : this.faults.ofRequest();
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "limit") return answer(response, [429, "limit exceeded", { "x-ratelimit-reset": "1" }]);
    this.#options.onRequest?.(`${method} ${path}`, "before");
    const done = this.#carryOut(method, path, { raw, query: url.searchParams });
    if (fault === "lose") return void request.socket.destroy();
    if (fault === "garble") return void response.end("<html>502</html>");
    answer(response, done);
    this.#options.onRequest?.(`${method} ${path}`, "after");
    this.history.changed();
  }

  #carryOut(method: string, path: string, { raw, query }: { raw: Buffer; query: URLSearchParams }): Answer {
    const [, room, id = "", rest = ""] = path.split("/");
    const post = this.posts.get(id);
    const body = (): Record<string, unknown> => JSON.parse(raw.toString("utf8")) as Record<string, unknown>;
    switch (`${method} ${room} ${rest}`.trim()) {
      case "GET users":
        return [200, BOT];
      case "POST users":
        return [
          200,
          Object.values(body()).map((each) => ({ id: each, username: String(each).slice(0, -3) })),
        ];
      case "GET users channels":
        return [200, this.#channels()];
      case "GET channels":
        return [200, { id, type: typeOf(id), last_post_at: 0 }];
      case "GET channels posts":
        return [200, this.#list(id, query)];
      case "POST posts":
        return this.#post(body());
      case "GET posts":
        return post === undefined ? NOT_FOUND : [200, post];
      case "PUT posts patch":
        return post === undefined ? NOT_FOUND : this.#patch(post, body());
      case "GET files":
        return this.files.has(id) ? [200, this.files.get(id)] : NOT_FOUND;
      case "POST files":
        return this.#upload(query.get("filename") ?? "", raw);
      default:
        return NOT_FOUND;
    }
  }

  #channels(): unknown {
    const byChannel = Map.groupBy(this.posts.values(), (post) => post.channel_id);
    return [...byChannel].map(([id, posts]) => ({
      id,
      type: typeOf(id),
      last_post_at: Math.max(...posts.map((post) => post.create_at)),
    }));
  }

  #list(channel: string, query: URLSearchParams): unknown {
    const since = Number(query.get("since") ?? 0);
    const all = [...this.posts.values()]
      .filter((post) => post.channel_id === channel && (since > 0 || post.delete_at === 0))
      .toReversed();
    const size = Number(query.get("per_page") ?? 60);
    const first = Number(query.get("page") ?? 0) * size;
    const newer = all.filter((post) => post.update_at > since).slice(0, 1000);
    const found = since > 0 ? newer : all.slice(first, first + size);
    return {
      order: found.map(({ id }) => id),
      posts: Object.fromEntries(found.map((post) => [post.id, post])),
    };
  }

  #post(body: Record<string, unknown>): Answer {
    const message = String(body["message"]);
    const pending = textOf(body["pending_post_id"]);
    const seen = this.posts.get(this.#pending.get(pending) ?? "");
    if (seen !== undefined) return [201, seen];
    if (message.length > 16_383) return [400, { message: "Invalid message length." }];
    const root = textOf(body["root_id"]);
    if (root !== "" && this.posts.get(root)?.root_id !== "")
      return [400, { message: "Invalid RootId parameter." }];
    const props = { ...(body["props"] as Record<string, unknown> | undefined), from_bot: "true" };
    const files = (body["file_ids"] ?? []) as string[];
    const place = { channel_id: String(body["channel_id"]), root_id: root };
    const post = this.#add({ ...place, user_id: BOT.id, message, props, file_ids: files });
    if (pending !== "") this.#pending.set(pending, post.id);
    const seenAs = { id: post.id, place: placeOf(post), text: message, buttons: buttonsOf(post), files };
    for (const id of files)
      this.history.received.push({
        name: this.#names.get(id) ?? "",
        bytes: this.files.get(id) ?? new Uint8Array(),
      });
    this.history.add({ ...seenAs, by: "bot" });
    this.#posted(post, BOT.username);
    return [201, post];
  }

  #patch(post: FakePost, body: Record<string, unknown>): Answer {
    if (post.user_id !== BOT.id) return [403, { message: "You do not have the appropriate permissions." }];
    post.message = String(body["message"]);
    if (body["props"] !== undefined) post.props = body["props"] as Record<string, unknown>;
    post.edit_at = post.update_at = this.#tick();
    this.history.edit(post.channel_id, post.id, { text: post.message, buttons: buttonsOf(post) });
    this.#tell("post_edited", { post: JSON.stringify(post) });
    return [200, post];
  }

  #upload(name: string, raw: Buffer): Answer {
    const id = `file-${this.#next++}`;
    this.files.set(id, raw);
    this.#names.set(id, name);
    return [201, { file_infos: [{ id, name }] }];
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const NOT_FOUND: Answer = [404, { message: "Unable to find it." }];

/** As people see it: a channel, or a thread in it. */
const placeOf = ({ channel_id: channel, root_id: root }: FakePost): string =>
  root === "" ? channel : `${channel}/${root}`;

const typeOf = (channel: string): string => (channel.startsWith("dm-") ? "D" : "O");

function buttonsOf({ props }: FakePost): { label: string; value: string }[] {
  const attachments = (props["attachments"] ?? []) as {
    readonly actions?: readonly { readonly name: string; readonly integration: { readonly url: string } }[];
  }[];
  return attachments
    .flatMap(({ actions = [] }) => actions)
    .map(({ name, integration }) => ({ label: name, value: integration.url }));
}

function answer(response: ServerResponse, [status, body, headers = {}]: Answer): void {
  const isRaw = body instanceof Uint8Array || typeof body === "string";
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(isRaw ? body : JSON.stringify(body));
}
