import type { WebSocket } from "ws";
import type { ChatHistory } from "../kit/chat-history.ts";

/** An event without its number. */
export interface FakeEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** The WebSockets of a fake server: authentication, numbered events, signs of typing. */
export class FakeConnections {
  readonly #token: string;
  readonly #history: ChatHistory;
  readonly #open = new Map<WebSocket, number>();
  /** Connections that were authenticated. */
  count = 0;
  /** Events that are numbered, and do not arrive. */
  swallow = 0;

  constructor(token: string, history: ChatHistory) {
    this.#token = token;
    this.#history = history;
  }

  /** Takes a connection. */
  take(socket: WebSocket): void {
    socket.on("error", () => undefined);
    socket.on("close", () => this.#open.delete(socket));
    socket.on("message", (data: Buffer) => this.#hear(socket, data.toString("utf8")));
  }

  /** Tells all that are authenticated. */
  tell(events: readonly FakeEvent[]): void {
    for (const [socket, seq] of this.#open) {
      let next = seq;
      let last: FakeEvent | undefined;
      for (const event of events) {
        // What comes twice has one number.
        if (event !== last) next += 1;
        last = event;
        if (this.swallow > 0) this.swallow -= 1;
        else socket.send(JSON.stringify({ ...event, broadcast: {}, seq: next - 1 }));
      }
      this.#open.set(socket, next);
    }
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#open.keys()) socket.terminate();
    this.#open.clear();
  }

  #hear(socket: WebSocket, text: string): void {
    const { seq, action, data } = JSON.parse(text) as {
      readonly seq: number;
      readonly action: string;
      readonly data: Readonly<Record<string, string>>;
    };
    if (action === "user_typing" && this.#open.has(socket)) {
      this.#history.typing.push(data["channel_id"] ?? "");
      this.#history.changed();
    }
    if (action !== "authentication_challenge") return;
    if (data["token"] !== this.#token)
      return socket.send(
        JSON.stringify({ status: "FAIL", seq_reply: seq, error: { message: "Invalid session" } }),
      );
    socket.send(JSON.stringify({ status: "OK", seq_reply: seq }));
    this.count += 1;
    const hello = { connection_id: `connection-${this.count}`, server_version: "10.5.0" };
    socket.send(JSON.stringify({ event: "hello", data: hello, broadcast: {}, seq: 0 }));
    this.#open.set(socket, 1);
    this.#history.changed();
  }
}
