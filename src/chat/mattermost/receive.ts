import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, readForeignJson } from "../../shared/json/json.ts";
import type { Incoming } from "../port/incoming.ts";
import type { ChatSocket, OpenSocket } from "../port/transport.ts";
import { catchUp, type CatchUpParts } from "./catch-up.ts";
import { eventsOf } from "./events.ts";
import { PostWire } from "./post.ts";

/** The parts of a connection. */
export interface ListeningParts extends CatchUpParts {
  readonly open: OpenSocket;
  /** Told of the socket once it is authenticated, and of its end. */
  readonly connected: (socket: ChatSocket | undefined) => void;
}

/** The number of the first request on a connection. */
export const FIRST_SEQ = 1;

/**
 * Listens on the WebSocket (https://developers.mattermost.com/api-documentation/#/, "WebSocket"). The server tells each
 * event once: what a connection has not told, as the numbers of its events show, is read by the REST API, and so is all
 * that happened before it.
 */
export async function receiveEvents(parts: ListeningParts): Promise<void> {
  const { api, sink, signal, open, connected } = parts;
  const socket = await open(api.socketUrl, { signal, heard: () => sink.alive() });
  try {
    const challenge = { seq: FIRST_SEQ, action: "authentication_challenge", data: { token: api.token } };
    socket.send(JSON.stringify(challenge));
    await new Listener(parts, socket).listen();
  } finally {
    connected(undefined);
    socket.close();
  }
}

/** The listener of one connection. */
class Listener {
  readonly #parts: ListeningParts;
  readonly #socket: ChatSocket;
  #isOpen = false;
  #id = "";
  /** The number of the next event. */
  #next = 0;

  constructor(parts: ListeningParts, socket: ChatSocket) {
    this.#parts = parts;
    this.#socket = socket;
  }

  async listen(): Promise<void> {
    for await (const text of this.#socket) {
      this.#parts.sink.alive();
      const message = messageIn(text);
      if (message !== undefined) await this.#hear(message);
    }
  }

  async #hear(message: Record<string, unknown>): Promise<void> {
    const { event, seq, seq_reply: reply, status } = message;
    if (typeof event !== "string") {
      // Answers to signs of typing do not matter.
      if (reply === FIRST_SEQ && status !== "OK")
        throw new HostError("unauthorized", "mattermost: the token is not valid.");
      return;
    }
    const data = isJsonObject(message["data"]) ? message["data"] : {};
    const { connection_id: id } = data;
    if (event === "hello" && typeof id === "string") this.#id = id;
    const isGap = typeof seq === "number" && seq > this.#next;
    if (typeof seq === "number") this.#next = Math.max(this.#next, seq + 1);
    // The first event comes when the server knows the bot; from then on nothing is missed.
    if (!this.#isOpen || isGap) await catchUp(this.#parts);
    if (!this.#isOpen) this.#parts.connected(this.#socket);
    this.#isOpen = true;
    await this.#take(event, data, `${this.#id}:${String(seq)}`);
  }

  async #take(event: string, data: Record<string, unknown>, number: string): Promise<void> {
    switch (event) {
      case "posted":
      case "post_edited":
      case "post_deleted":
        return await this.#post(event, data);
      case "reaction_added":
      case "reaction_removed":
        return await this.#reaction(event, data, number);
    }
  }

  async #post(event: string, data: Record<string, unknown>): Promise<void> {
    const { directory, bookmark, sink } = this.#parts;
    const post = PostWire.safeParse(messageIn(data["post"])).data;
    if (post === undefined) return;
    const { channel_type: type, sender_name: sender } = data;
    if (typeof type === "string") directory.noteChannel(post.channel_id, type);
    if (typeof sender === "string") directory.noteName(post.user_id, sender);
    const { create_at: written, edit_at: edited } = post;
    // It is told now: whatever its times are, this is new, and nothing else.
    const told = {
      posted: { ...post, create_at: 1, edit_at: 0, delete_at: 0 },
      post_edited: { ...post, create_at: 0, delete_at: 0 },
      post_deleted: { ...post, delete_at: 1 },
    }[event];
    const events = told === undefined ? [] : await eventsOf(told, 0, this.#parts);
    if (events.length > 0) await sink.take(events);
    await bookmark.advance(Math.max(written, edited));
  }

  /** Thumbs count, under messages of the bot. */
  async #reaction(event: string, data: Record<string, unknown>, number: string): Promise<void> {
    const { directory, bot, sink, signal } = this.#parts;
    const { user_id: userId, post_id: messageId, emoji_name: emoji } = messageIn(data["reaction"]) ?? {};
    const thumb = typeof emoji === "string" ? THUMBS.get(emoji) : undefined;
    if (thumb === undefined || typeof userId !== "string" || typeof messageId !== "string") return;
    const post = userId === bot.id ? undefined : await directory.post(messageId, signal);
    if (post?.user_id !== bot.id) return;
    const place = await directory.placeOf(post, signal);
    const from = { id: userId, name: directory.nameOf(userId) };
    const verdict = event === "reaction_added" ? thumb : "none";
    const reaction: Incoming = {
      type: "reaction",
      eventId: `reaction:${number}`,
      place,
      from,
      messageId,
      verdict,
    };
    await sink.take([reaction]);
  }
}

const THUMBS: ReadonlyMap<string, "up" | "down"> = new Map([
  ["+1", "up"],
  ["thumbsup", "up"],
  ["-1", "down"],
  ["thumbsdown", "down"],
]);

/** JSON of the server as an object; nothing when it is none. */
function messageIn(text: unknown): Record<string, unknown> | undefined {
  const value = typeof text === "string" ? readForeignJson(text) : undefined;
  return isJsonObject(value) ? value : undefined;
}
