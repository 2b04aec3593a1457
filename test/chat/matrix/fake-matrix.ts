import type { IncomingMessage, ServerResponse } from "node:http";
import { ChatHistory } from "../kit/chat-history.ts";
import type { FakeFile, FakeOptions, FakePlatform } from "../kit/fake-platform.ts";
import { FakeServer } from "../kit/fake-server.ts";
import { Faults } from "../kit/faults.ts";
import { BOT_ID, type FakeEvent, FakeRooms } from "./fake-rooms.ts";

const FAKE_TOKEN = "fake_token_of_the_tests";
const LONGEST_HOLD_MS = 300;
const LARGEST_EVENT = 65_536;

type Content = Readonly<Record<string, unknown>>;
type Answer = readonly [status: number, body: unknown];

const refused = (status: number, errcode: string, more: object = {}): Answer => [
  status,
  { errcode, error: `refused: ${errcode}`, ...more },
];

/** The id of a person of the fake's server. */
export const mxid = (name: string | number): string => `@p${name}:fake.test`;

/** A homeserver on 127.0.0.1, as https://spec.matrix.org/latest/client-server-api/ says it is. */
export class FakeMatrix implements FakePlatform {
  readonly history = new ChatHistory();
  readonly rooms = new FakeRooms();
  readonly faults: Faults;
  /** Requests that were made, in order, without `/_matrix`. */
  readonly calls: string[] = [];
  readonly bodies: Content[] = [];
  readonly files = new Map<string, Uint8Array>();
  /** It is older than version 1.11 of the specification: files are elsewhere. */
  isOld = false;
  readonly #options: FakeOptions;
  readonly #server = new FakeServer((request, response) => this.#serve(request, response));
  readonly #transactions = new Map<string, string>();
  readonly #waiting = new Set<() => void>();
  /** The point behind which news were asked for. */
  #confirmed: number | undefined;

  private constructor(options: FakeOptions) {
    this.#options = options;
    this.faults = new Faults(options.faults);
  }

  static async start(options: FakeOptions = {}): Promise<FakeMatrix> {
    const fake = new FakeMatrix(options);
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
    return { MATRIX_TOKEN: FAKE_TOKEN };
  }

  get unconfirmed(): number {
    return this.rooms.events.filter(
      ({ pos, type, sender }) =>
        type === "m.room.message" && sender !== BOT_ID && pos > (this.#confirmed ?? 0),
    ).length;
  }

  listened(): Promise<void> {
    return this.history.until(() => this.#confirmed !== undefined);
  }

  say(person: number, text: string): string {
    const room = `!dm${person}:fake.test`;
    this.rooms.make(room, [BOT_ID, mxid(person)]);
    this.send(room, { body: text }, person);
    return room;
  }

  sayWithFile(person: number, text: string, { name, mediaType, bytes }: FakeFile): string {
    const room = `!dm${person}:fake.test`;
    this.rooms.make(room, [BOT_ID, mxid(person)]);
    const id = `media${this.files.size}`;
    this.files.set(id, bytes);
    const info = { mimetype: mediaType, size: bytes.length };
    const content = { msgtype: "m.file", body: text, filename: name, url: `mxc://fake.test/${id}`, info };
    this.send(room, content, person);
    return room;
  }

  sayInThread(thread: number, text: string): string {
    const room = "!hall:fake.test";
    this.rooms.make(room, [BOT_ID, mxid(1), mxid(2)]);
    const content = { body: `Agent: ${text}`, "m.mentions": { user_ids: [BOT_ID] } };
    return `${room}/${this.send(room, content, 1 + (thread % 2))}`;
  }

  /** Somebody says something in a room; gives the event's id. */
  send(room: string, content: Content, person: number | string = 1): string {
    const { event_id: id } = this.rooms.add(room, {
      type: "m.room.message",
      sender: mxid(person),
      content: { msgtype: "m.text", ...content },
    });
    this.history.add({ id, place: room, by: "person", text: String(content["body"]) });
    this.wake();
    return id;
  }

  /** Something else happens in a room; gives the event's id. */
  event(room: string, event: Pick<FakeEvent, "type" | "content"> & Partial<FakeEvent>, person = 1): string {
    const { event_id: id } = this.rooms.add(room, { sender: mxid(person), ...event });
    this.wake();
    return id;
  }

  /** Tells those who wait for news. */
  wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.wake();
    await this.#server[Symbol.asyncDispose]();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const { method = "GET", headers } = request;
    const path = pathname.replace("/_matrix", "");
    if (headers.authorization !== `Bearer ${FAKE_TOKEN}`)
      return answer(response, refused(401, "M_UNKNOWN_TOKEN"));
    if (path.includes("/download/")) return this.#file(path, response);
    this.calls.push(`${method} ${path}`);
    const fault = method === "GET" ? undefined : this.faults.ofRequest();
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "limit") return answer(response, refused(429, "M_LIMIT_EXCEEDED", { retry_after_ms: 20 }));
    this.#options.onRequest?.(`${method} ${path}`, "before");
    const result = await this.#carryOut(`${method} ${path}`, { query: searchParams, raw });
    if (fault === "lose") return void request.socket.destroy();
    if (fault === "garble") return void response.end("<html>502</html>");
    answer(response, result);
    this.#options.onRequest?.(`${method} ${path}`, "after");
    this.history.changed();
  }

  async #carryOut(
    call: string,
    { query, raw }: { readonly query: URLSearchParams; readonly raw: Buffer },
  ): Promise<Answer> {
    if (call === "POST /media/v3/upload") {
      const id = `media${this.files.size}`;
      this.files.set(id, raw);
      return [200, { content_uri: `mxc://fake.test/${id}` }];
    }
    if (call === "GET /client/v3/sync") return [200, await this.#news(query)];
    if (call === "GET /client/v3/account/whoami") return [200, { user_id: BOT_ID, device_id: "D" }];
    if (call.startsWith("GET /client/v3/profile/")) return [200, { displayname: "Agent" }];
    const [, method = "", room = "", rest = ""] =
      /^(\w+) \/client\/v3\/rooms\/([^/]+)\/(.+)$/.exec(call) ?? [];
    const body = JSON.parse(raw.toString("utf8") || "{}") as Content;
    return this.#inRoom(`${method} ${rest}`, { room: decodeURIComponent(room), query, body });
  }

  #inRoom(
    call: string,
    { room, query, body }: { readonly room: string; readonly query: URLSearchParams; readonly body: Content },
  ): Answer {
    const [method = "", what = "", first = "", second = ""] = call.split(/[ /]/).map(decodeURIComponent);
    if (method === "POST" && (what === "join" || what === "leave")) return this.#enter(room, what, body);
    if (this.rooms.membershipOf(room, BOT_ID) !== "join") return refused(403, "M_FORBIDDEN");
    switch (`${method} ${what}`) {
      case "PUT send":
        return this.#send(room, { type: first, transaction: second, content: body });
      case "PUT typing":
        if (body["typing"] === true) this.history.typing.push(room);
        return [200, {}];
      case "POST receipt":
        return [200, {}];
      case "GET joined_members":
        return [200, { joined: this.rooms.joined(room) }];
      case "GET messages":
        return [200, this.rooms.before(room, query)];
      case "GET event": {
        const found = this.rooms.find(first);
        return found === undefined ? refused(404, "M_NOT_FOUND") : [200, found];
      }
      default:
        return refused(404, "M_UNRECOGNIZED");
    }
  }

  #enter(room: string, what: "join" | "leave", body: Content): Answer {
    if (this.rooms.membershipOf(room, BOT_ID) !== "invite") return refused(403, "M_FORBIDDEN");
    this.rooms.enter(room, BOT_ID, { membership: what, reason: body["reason"] });
    return [200, { room_id: room }];
  }

  #send(
    room: string,
    { type, transaction, content }: { type: string; transaction: string; content: Content },
  ): Answer {
    const key = `${room} ${type} ${transaction}`;
    const known = this.#transactions.get(key);
    if (known !== undefined) return [200, { event_id: known }];
    if (Buffer.byteLength(JSON.stringify(content)) > LARGEST_EVENT - 1000) return refused(413, "M_TOO_LARGE");
    const { body, msgtype } = content;
    if (typeof body !== "string" || body.trim() === "" || !body.isWellFormed() || typeof msgtype !== "string")
      return refused(400, "M_BAD_JSON");
    const { event_id: id } = this.rooms.add(room, { type, sender: BOT_ID, content });
    this.bodies.push(content);
    this.#transactions.set(key, id);
    this.#show(room, id, content);
    return [200, { event_id: id }];
  }

  #show(room: string, id: string, content: Content): void {
    const relation = (content["m.relates_to"] ?? {}) as { rel_type?: string; event_id?: string };
    if (relation.rel_type === "m.replace") {
      const { body = "" } = (content["m.new_content"] ?? {}) as { body?: string };
      this.history.edit(room, relation.event_id ?? "", { text: body, buttons: [] });
      return;
    }
    const place = relation.rel_type === "m.thread" ? `${room}/${relation.event_id ?? ""}` : room;
    const files = typeof content["url"] === "string" ? [content["url"]] : [];
    for (const url of files) {
      const bytes = this.files.get(url.split("/").at(-1) ?? "") ?? new Uint8Array();
      this.history.received.push({ name: String(content["filename"]), bytes });
    }
    this.history.add({ id, place, by: "bot", text: String(content["body"]), files });
  }

  async #news(query: URLSearchParams): Promise<unknown> {
    const given = query.get("since");
    const since = given === null ? undefined : Number(given.slice(1));
    if (since !== undefined) this.#confirmed = Math.max(since, this.#confirmed ?? 0);
    this.history.changed();
    const filter = JSON.parse(query.get("filter") ?? "{}") as { room?: { timeline?: { limit?: number } } };
    const look = () =>
      this.rooms.newsSince(since, filter.room?.timeline?.limit ?? 10, (events) => {
        // A room's events come in their order; one may come twice.
        const twice = this.faults.ofEvents(events);
        return twice.toSorted((one, other) => one.pos - other.pos);
      });
    let next = this.rooms.pos;
    if (since === next && Number(query.get("timeout")) > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        const asked = Number(query.get("timeout"));
        setTimeout(resolve, this.#options.patient === true ? asked : LONGEST_HOLD_MS).unref();
      });
      next = this.rooms.pos;
    }
    return { next_batch: `s${next}`, rooms: look() };
  }

  #file(path: string, response: ServerResponse): void {
    const isNew = path.startsWith("/client/v1/media/");
    const bytes = this.files.get(path.split("/").at(-1) ?? "");
    if (isNew === this.isOld || bytes === undefined) return answer(response, refused(404, "M_UNRECOGNIZED"));
    response.end(bytes);
  }
}

function answer(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
