import { isJsonObject } from "../../shared/json/json.ts";
import { pathOf } from "../port/request-path.ts";
import type { Incoming, IncomingMessage } from "../port/incoming.ts";
import type { FeishuApi } from "./api.ts";
import type { FeishuNews } from "./receive.ts";

const MOST = 2000;
/** Feishu waits three seconds for the acknowledgement of what something is looked up for. */
const PATIENCE_MS = 1200;

/** A source of what events leave out: the names of people, whose message was taken back, and in which chat a reaction is. */
export class FeishuDirectory {
  readonly #api: FeishuApi;
  readonly #names = new Map<string, Promise<string>>();
  /** The newest messages of people; who took back an older one is not known. */
  readonly #messages = new Map<string, Pick<IncomingMessage, "place" | "from">>();

  constructor(api: FeishuApi) {
    this.#api = api;
  }

  /** An event with all that it takes; nothing where that cannot be had. */
  async completed(news: FeishuNews, signal: AbortSignal): Promise<Incoming | undefined> {
    switch (news.type) {
      case "message":
        return await this.#named(news, signal);
      case "click":
        return { ...news, from: { ...news.from, name: await this.#nameOf(news.from.id, signal) } };
      case "reaction": {
        const chatId = await this.#chatOf(news.messageId, signal);
        return chatId === undefined ? undefined : { ...news, place: { ...news.place, chatId } };
      }
      case "recalled": {
        const { eventId, messageId } = news;
        const known = this.#messages.get(messageId);
        return known && { type: "deletion", eventId, messageId, ...known };
      }
      default:
        return news;
    }
  }

  async #named(message: IncomingMessage, signal: AbortSignal): Promise<IncomingMessage> {
    const { messageId, place, from } = message;
    const [oldest] = this.#messages.keys();
    if (this.#messages.size >= MOST && oldest !== undefined) this.#messages.delete(oldest);
    this.#messages.set(messageId, { place, from });
    const isShown = message.addressed || place.threadId !== messageId;
    return isShown ? { ...message, from: { ...from, name: await this.#nameOf(from.id, signal) } } : message;
  }

  #nameOf(id: string, signal: AbortSignal): Promise<string> {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    if (this.#names.size >= MOST) this.#names.clear();
    // Without the right to read names everybody goes by the id.
    const name = this.#lookUp(id, signal).catch(() => id);
    this.#names.set(id, name);
    return name;
  }

  /** https://open.feishu.cn/document/server-docs/contact-v3/user/get */
  async #lookUp(id: string, signal: AbortSignal): Promise<string> {
    const path = `/contact/v3${pathOf("users", id)}?user_id_type=open_id`;
    const { user } = await this.#api.call(path, { method: "GET", signal, timeoutMs: PATIENCE_MS });
    const name = isJsonObject(user) ? user["name"] : undefined;
    return typeof name === "string" && name !== "" ? name : id;
  }

  /** https://open.feishu.cn/document/server-docs/im-v1/message/get */
  async #chatOf(messageId: string, signal: AbortSignal): Promise<string | undefined> {
    const call = { method: "GET", signal, timeoutMs: PATIENCE_MS } as const;
    const { items } = await this.#api
      .call(`/im/v1${pathOf("messages", messageId)}`, call)
      .catch(() => ({ items: [] }));
    const [first] = Array.isArray(items) ? (items as unknown[]) : [];
    return isJsonObject(first) && typeof first["chat_id"] === "string" ? first["chat_id"] : undefined;
  }
}
