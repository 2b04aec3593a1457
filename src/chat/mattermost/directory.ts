import { toHostError } from "../../shared/errors/host-error.ts";
import type { ChatPlace } from "../port/place.ts";
import type { MattermostApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import { ChannelWire, type Post, PostWire } from "./post.ts";

/** More than these are not remembered: what is needed again is asked again. */
const MOST = 5000;

/** Knowledge of the server, kept for a while: kinds of channels, names of people, whose the threads are. */
export class Directory {
  readonly #api: MattermostApi;
  readonly #kinds = new Map<string, ChatPlace["kind"]>();
  readonly #names = new Map<string, string>();
  readonly #owners = new Map<string, string>();

  constructor(api: MattermostApi) {
    this.#api = api;
  }

  noteChannel(id: string, type: string): void {
    keep(this.#kinds, id, type === "D" ? "direct" : "channel");
  }

  noteName(userId: string, name: string): void {
    keep(this.#names, userId, name.replace(/^@/, ""));
  }

  nameOf(userId: string): string {
    return this.#names.get(userId) ?? userId;
  }

  /** Gets the names of people that are not known. */
  async learnNames(userIds: readonly string[], signal: AbortSignal): Promise<void> {
    const unknown = [...new Set(userIds)].filter((id) => !this.#names.has(id));
    if (unknown.length === 0) return;
    const found = await this.#api.call("/users/ids", { method: "POST", body: unknown, signal });
    for (const user of Array.isArray(found) ? (found as unknown[]) : []) {
      const { id, username } = user as { readonly id?: unknown; readonly username?: unknown };
      if (typeof id === "string" && typeof username === "string") this.noteName(id, username);
    }
  }

  /**
   * The place of a post. In a channel each message begins a thread, in which it is answered.
   *
   * @throws HostError as `Channel` says
   */
  async placeOf(
    { id, channel_id: chatId, root_id: root }: Pick<Post, "id" | "channel_id" | "root_id">,
    signal: AbortSignal,
  ): Promise<ChatPlace> {
    const kind = await this.#kindOf(chatId, signal);
    if (root !== "") return { kind, chatId, threadId: root };
    return kind === "direct" ? { kind, chatId } : { kind, chatId, threadId: id };
  }

  /** Gets a post; `undefined` when it is not there, or not for the bot. */
  async post(id: string, signal: AbortSignal): Promise<Post | undefined> {
    try {
      return PostWire.safeParse(await this.#api.call(pathOf("posts", id), { signal })).data;
    } catch (thrown) {
      const { code } = toHostError(thrown);
      if (code === "not_found" || code === "invalid_params") return undefined;
      throw thrown;
    }
  }

  /** Who began a thread. */
  async ownerOf(rootId: string, signal: AbortSignal): Promise<string> {
    const known = this.#owners.get(rootId);
    if (known !== undefined) return known;
    const owner = (await this.post(rootId, signal))?.user_id ?? "";
    keep(this.#owners, rootId, owner);
    return owner;
  }

  async #kindOf(id: string, signal: AbortSignal): Promise<ChatPlace["kind"]> {
    const known = this.#kinds.get(id);
    if (known !== undefined) return known;
    const { data } = ChannelWire.safeParse(await this.#api.call(pathOf("channels", id), { signal }));
    // A place of which nothing is known may be read by many.
    this.noteChannel(id, data?.type ?? "");
    return this.#kinds.get(id) ?? "channel";
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= MOST) map.clear();
  map.set(key, value);
}
