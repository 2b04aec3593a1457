import { once } from "node:events";
import type { WebSocket } from "ws";
import type { ChatSocket, OpenSocket } from "../../chat/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";

const LARGEST_MESSAGE = 8_000_000;
const HANDSHAKE_MS = 15_000;

/** Opens WebSockets for channels; `ws` is loaded with the first. */
export const openChatSocket: OpenSocket = async (url, { headers = {}, signal, heard = () => undefined }) => {
  const { WebSocket } = await import("ws");
  signal.throwIfAborted();
  const socket = new WebSocket(url, { headers, maxPayload: LARGEST_MESSAGE, handshakeTimeout: HANDSHAKE_MS });
  const stop = (): void => socket.terminate();
  signal.addEventListener("abort", stop, { once: true });
  socket.once("close", () => signal.removeEventListener("abort", stop));
  for (const heartbeat of ["ping", "pong"] as const) socket.on(heartbeat, () => heard());
  const reading = new SocketReader(socket);
  try {
    await once(socket, "open", { signal });
  } catch (thrown) {
    socket.terminate();
    const { message } = toHostError(thrown);
    throw new HostError("fetch_failed", `${new URL(url).host} did not open a WebSocket: ${message}`, {
      cause: thrown,
    });
  }
  return {
    send: (message) => socket.send(message),
    ping: () => socket.ping(),
    close: (code = 1000) => socket.close(code),
    bytes: () => reading.messages(),
    [Symbol.asyncIterator]: () => reading.texts(),
  } satisfies ChatSocket;
};

/** The messages of a socket, in order. */
class SocketReader {
  readonly #waiting: Buffer[] = [];
  #wake: () => void = () => undefined;
  #end: HostError | "closed" | undefined;

  constructor(socket: WebSocket) {
    // Messages come as one buffer by default.
    socket.on("message", (data: Buffer) => {
      this.#waiting.push(data);
      this.#wake();
    });
    socket.on("error", (error) => this.#over(new HostError("fetch_failed", error.message, { cause: error })));
    socket.on("close", (code) => {
      const isUsual = code === 1000;
      this.#over(
        isUsual
          ? "closed"
          : new HostError("fetch_failed", `The WebSocket was closed with code ${code}.`, {
              details: { closeCode: code },
            }),
      );
    });
  }

  async *texts(): AsyncGenerator<string, void> {
    for await (const message of this.messages()) yield message.toString("utf8");
  }

  async *messages(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#end === "closed") return;
      else if (this.#end !== undefined) throw this.#end;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #over(end: HostError | "closed"): void {
    this.#end ??= end;
    this.#wake();
  }
}
