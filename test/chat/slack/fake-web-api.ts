import type { ChatHistory, SeenMessage } from "../kit/chat-history.ts";

/** A status and a body. */
export type Answer = readonly [status: number, body: Readonly<Record<string, unknown>>];

/** An answer that says that it is done. */
export const done = (body: Readonly<Record<string, unknown>>): Answer => [200, { ok: true, ...body }];
/** A refusal, which Slack says with status 200. */
export const refused = (error: string): Answer => [200, { ok: false, error }];

const LONGEST_EDIT = 4000;
const LONGEST_SECTION = 3000;

interface Block {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly elements?: readonly { readonly text: { readonly text: string }; readonly value: string }[];
}

/** The methods of the Web API, on the history of what people see: https://docs.slack.dev/reference/methods */
export class FakeWebApi {
  readonly files = new Map<string, Uint8Array>();
  /** Methods that were called, in order, with what they were given. */
  readonly calls: { readonly method: string; readonly fields: URLSearchParams }[] = [];
  /** What only the one who pressed a button sees. */
  readonly whispers: string[] = [];
  readonly #history: ChatHistory;
  readonly #url: () => string;
  readonly #metadata = new Map<string, unknown>();
  readonly #names = new Map<string, string>();
  readonly #shares = new Map<string, { readonly channel: string; readonly ts: string }>();
  #next = 1;

  constructor(history: ChatHistory, url: () => string) {
    this.#history = history;
    this.#url = url;
  }

  nextTs(): string {
    return `1800000000.${String(this.#next++).padStart(6, "0")}`;
  }

  call(method: string, fields: URLSearchParams): Answer {
    this.calls.push({ method, fields });
    const field = (name: string): string => fields.get(name) ?? "";
    // A text must not call people by their names.
    if (/^chat\.(?:postMessage|update)$/.test(method) && field("link_names") !== "false") {
      this.#history.lacks("link_names: false");
      return refused("invalid_arguments");
    }
    switch (method) {
      case "auth.test":
        return done({ user_id: "UBOT", user: "agent", bot_id: "BBOT", team_id: "T1" });
      case "users.info":
        return done({ user: { id: field("user"), name: "ann", profile: { display_name: "Ann" } } });
      case "chat.postMessage":
        return this.#post(fields);
      case "chat.update":
        return this.#update(fields);
      case "chat.postEphemeral":
        this.whispers.push(`${field("user")}: ${field("text")}`);
        this.#history.changed();
        return done({ message_ts: this.nextTs() });
      case "assistant.threads.setStatus":
        this.#history.typing.push(field("channel_id"));
        return done({});
      case "conversations.history":
        return this.#page(this.#messagesOf(field("channel")).toReversed(), fields);
      case "conversations.replies":
        return this.#page(this.#messagesOf(`${field("channel")}/${field("ts")}`), fields);
      case "files.getUploadURLExternal": {
        const id = `F${this.#next++}`;
        this.#names.set(id, field("filename"));
        return done({ upload_url: `${this.#url()}/upload/${id}`, file_id: id });
      }
      case "files.completeUploadExternal":
        return this.#share(fields);
      case "files.info": {
        const { channel = "", ts = "" } = this.#shares.get(field("file")) ?? {};
        const url = `${this.#url()}/files/${field("file")}`;
        return done({
          file: { id: field("file"), url_private: url, shares: { private: { [channel]: [{ ts }] } } },
        });
      }
      default:
        return refused("unknown_method");
    }
  }

  #post(fields: URLSearchParams): Answer {
    const blocks = blocksIn(fields);
    if ((fields.get("text") ?? "") === "" && blocks.length === 0) return refused("no_text");
    const seen = seenIn(fields.get("text") ?? "", blocks);
    if (seen === undefined) return refused("invalid_blocks");
    const ts = this.nextTs();
    const thread = fields.get("thread_ts");
    const channel = fields.get("channel") ?? "";
    this.#metadata.set(ts, JSON.parse(fields.get("metadata") ?? "null"));
    this.#history.add({
      id: ts,
      place: thread === null ? channel : `${channel}/${thread}`,
      by: "bot",
      ...seen,
    });
    return done({ channel, ts });
  }

  #update(fields: URLSearchParams): Answer {
    const text = fields.get("text") ?? "";
    if (text.length > LONGEST_EDIT) return refused("msg_too_long");
    const seen = seenIn(text, blocksIn(fields));
    if (seen === undefined) return refused("invalid_blocks");
    const [channel = "", ts = ""] = [fields.get("channel"), fields.get("ts")].map((each) => each ?? "");
    const known = this.#history.find(channel, ts);
    if (known?.by !== "bot")
      return refused(known === undefined ? "message_not_found" : "cant_update_message");
    this.#history.edit(channel, ts, seen);
    return done({ channel, ts });
  }

  #share(fields: URLSearchParams): Answer {
    const given = JSON.parse(fields.get("files") ?? "[]") as { id: string }[];
    if (given.some(({ id }) => !this.files.has(id))) return refused("file_not_found");
    const channel = fields.get("channel_id") ?? "";
    const thread = fields.get("thread_ts");
    const ts = this.nextTs();
    for (const { id } of given) this.#shares.set(id, { channel, ts });
    const files = given.map(({ id }) => this.#names.get(id) ?? "");
    for (const { id } of given)
      this.#history.received.push({
        name: this.#names.get(id) ?? "",
        bytes: this.files.get(id) ?? new Uint8Array(),
      });
    const text = unescaped(fields.get("initial_comment") ?? "");
    this.#history.add({
      id: ts,
      place: thread === null ? channel : `${channel}/${thread}`,
      by: "bot",
      text,
      files,
    });
    return done({ files: given });
  }

  #messagesOf(place: string): readonly SeenMessage[] {
    return this.#history.messages.filter((each) => each.place === place);
  }

  #page(messages: readonly SeenMessage[], fields: URLSearchParams): Answer {
    const from = Number(fields.get("cursor") ?? 0);
    const to = from + Math.min(Number(fields.get("limit") ?? 100), 999);
    const withMetadata = fields.get("include_all_metadata") === "true";
    return done({
      messages: messages.slice(from, to).map(({ id, by, text, files }) => ({
        type: "message",
        ts: id,
        user: by === "bot" ? "UBOT" : "U1",
        text,
        files: files.map((name) => ({ name })),
        ...(withMetadata ? { metadata: this.#metadata.get(id) } : {}),
      })),
      response_metadata: { next_cursor: to < messages.length ? String(to) : "" },
    });
  }
}

const blocksIn = (fields: URLSearchParams): readonly Block[] =>
  JSON.parse(fields.get("blocks") ?? "[]") as readonly Block[];

/** What is seen: the blocks where there are any. */
function seenIn(text: string, blocks: readonly Block[]): Pick<SeenMessage, "text" | "buttons"> | undefined {
  const sections = blocks.flatMap(({ text: part }) => part?.text ?? []);
  if (sections.some((part) => part === "" || part.length > LONGEST_SECTION)) return undefined;
  const elements = blocks.flatMap((block) => block.elements ?? []);
  const buttons = elements.map(({ text: { text: label }, value }) => ({ label, value }));
  return { text: unescaped(blocks.length === 0 ? text : sections.join("\n")), buttons };
}

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
