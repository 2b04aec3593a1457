import type { ChatHistory, SeenMessage } from "../kit/chat-history.ts";
import { formParts } from "../kit/form-parts.ts";

/** An answer of the Open API: its status and its body. */
export type FeishuAnswer = readonly [status: number, body: object];

interface FeishuRequest {
  readonly method: string;
  readonly url: URL;
  readonly type: string;
  readonly body: Buffer;
}

export const said = (data: object): FeishuAnswer => [200, { code: 0, msg: "success", data }];
const refused = (code: number, msg: string): FeishuAnswer => [400, { code, msg }];

interface Element {
  readonly tag: string;
  readonly content?: string;
  readonly text?: { readonly tag: string; readonly content: string };
  readonly behaviors?: readonly { readonly type: string; readonly value: unknown }[];
}

interface Sent {
  readonly msg_type: string;
  readonly content: string;
  readonly uuid?: string;
  readonly receive_id?: string;
  readonly reply_in_thread?: boolean;
}

/** Feishu's messages: sent, answered, changed, with files. */
export class FakeMessages {
  readonly files = new Map<string, Uint8Array>();
  /** Bodies of messages that were sent, with their paths. */
  readonly requests: { readonly path: string; readonly body: unknown }[] = [];
  /** A code that the Markdown of cards is refused with, while it is there. */
  refusal: number | undefined;
  readonly #history: ChatHistory;
  readonly #chats = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #once = new Map<string, string>();
  #nextId = 1;

  constructor(history: ChatHistory) {
    this.#history = history;
  }

  newId(): string {
    return `om_${this.#nextId++}`;
  }

  /** A message is there. */
  know(id: string, chat: string): void {
    this.#chats.set(id, chat);
  }

  fileAt({ pathname }: URL): Uint8Array | undefined {
    const key = /^\/open-apis\/im\/v1\/messages\/om_\d+\/resources\/([\w-]+)$/.exec(pathname)?.[1];
    return key === undefined ? undefined : this.files.get(key);
  }

  call({ method, url, type, body }: FeishuRequest): FeishuAnswer {
    const path = url.pathname.replace("/open-apis", "");
    if (path === "/bot/v3/info")
      return [200, { code: 0, msg: "ok", bot: { app_name: "Agent", open_id: "ou_bot", activate_status: 2 } }];
    const person = /^\/contact\/v3\/users\/(\w+)$/.exec(path)?.[1];
    if (person !== undefined) return said({ user: { open_id: person, name: `Name of ${person}` } });
    if (path === "/im/v1/images" || path === "/im/v1/files") return this.#upload(path, type, body);
    const id = /^\/im\/v1\/messages\/(\w+)/.exec(path)?.[1];
    if (method === "GET") return said({ items: [{ message_id: id, chat_id: this.#chats.get(id ?? "") }] });
    const sent = JSON.parse(String(body)) as Sent;
    this.requests.push({ path: `${path}${url.search}`, body: sent });
    if (method === "PATCH") return this.#edit(id ?? "", sent);
    if (id !== undefined) return this.#reply(id, sent);
    const chat = sent.receive_id ?? "";
    if (url.searchParams.get("receive_id_type") !== "chat_id" || !chat.startsWith("oc_"))
      return refused(230_001, "Your request contains an invalid request parameter, ext=invalid receive_id.");
    return this.#post(chat, chat, sent);
  }

  #reply(root: string, sent: Sent): FeishuAnswer {
    const chat = this.#chats.get(root);
    if (chat === undefined) return refused(230_011, "The message was withdrawn.");
    return this.#post(chat, sent.reply_in_thread === true ? `${chat}/${root}` : chat, sent);
  }

  #post(chat: string, place: string, { msg_type: type, content, uuid = "" }: Sent): FeishuAnswer {
    if (uuid.length > 50) return refused(99_992_402, "field validation failed");
    const known = this.#once.get(uuid);
    if (known !== undefined) return said({ message_id: known, chat_id: chat });
    const shown = this.#shown(type, content);
    if ("code" in shown) return refused(shown.code, shown.msg);
    const id = this.newId();
    this.know(id, chat);
    if (uuid !== "") this.#once.set(uuid, id);
    this.#history.add({ id, place, by: "bot", ...shown });
    return said({ message_id: id, chat_id: chat });
  }

  #edit(id: string, { content }: Sent): FeishuAnswer {
    const chat = this.#chats.get(id);
    const seen = chat === undefined ? undefined : this.#history.find(chat, id);
    if (chat === undefined || seen?.by !== "bot") return refused(230_110, "The message has been deleted.");
    const shown = this.#shown("interactive", content);
    if ("code" in shown) return refused(shown.code, shown.msg);
    this.#history.edit(chat, id, shown);
    return said({});
  }

  #upload(path: string, type: string, body: Buffer): FeishuAnswer {
    const text = body.toString("latin1");
    const isImage = path.endsWith("images");
    const needed = isImage
      ? ['name="image_type"', 'name="image"']
      : ['name="file_type"', 'name="file_name"', 'name="file"'];
    if (!type.startsWith("multipart/form-data") || !needed.every((each) => text.includes(each)))
      return refused(234_001, "Invalid request param.");
    const key = `${isImage ? "img" : "file"}_${this.#nextId++}`;
    const parts = formParts(type, body);
    this.files.set(key, parts.get(isImage ? "image" : "file")?.bytes ?? body);
    this.#names.set(key, parts.get("file_name")?.bytes.toString("utf8") ?? "");
    return said(isImage ? { image_key: key } : { file_key: key });
  }

  /** What people see, or why it is refused. */
  #shown(
    type: string,
    content: string,
  ): Pick<SeenMessage, "text" | "buttons" | "files"> | { readonly code: number; readonly msg: string } {
    const read = JSON.parse(content) as Record<string, unknown>;
    if (type === "image" || type === "file") {
      const key = String(read[`${type}_key`]);
      const bytes = this.files.get(key);
      if (bytes !== undefined) this.#history.received.push({ name: this.#names.get(key) ?? "", bytes });
      return this.files.has(key)
        ? { text: "", buttons: [], files: [type] }
        : { code: 230_055, msg: "bad file" };
    }
    if (type !== "interactive") return { code: 230_001, msg: "ext=unsupported msg_type" };
    if (Buffer.byteLength(content) > 30_000)
      return { code: 230_025, msg: "The length of the message content reaches its limit." };
    const elements = (read["body"] as { readonly elements: readonly Element[] }).elements;
    if (read["schema"] !== "2.0" || (read["config"] as { update_multi?: boolean }).update_multi !== true)
      return { code: 230_099, msg: "Failed to create card content" };
    const [words, ...buttons] = elements;
    const text = words?.tag === "markdown" ? words.content : words?.text?.content;
    if (text === undefined || text === "") return { code: 230_099, msg: "Failed to create card content" };
    if (words?.tag === "markdown" && this.refusal !== undefined)
      return {
        code: this.refusal,
        msg: "Failed to create card content, ext=ErrCode: 11310; card table number over limit",
      };
    return {
      text,
      files: [],
      buttons: buttons.map((each) => ({
        label: each.text?.content ?? "",
        value: JSON.stringify(each.behaviors?.[0]?.value),
      })),
    };
  }
}
