import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { ByteStream, OpenStream } from "../../chat/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";

const CONNECT_MS = 20_000;

/** Opens connections to servers that the owner configured; certificates are checked. */
export const openChatStream: OpenStream = async ({ host, port, tls }, signal) => {
  const plain = tls ? connectTls({ host, port, servername: host }) : connect({ host, port });
  await opened(plain, { event: tls ? "secureConnect" : "connect", host, signal });
  plain.setNoDelay();
  return new SocketStream(plain, host, signal);
};

async function opened(
  socket: Socket,
  { event, host, signal }: { readonly event: string; readonly host: string; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await once(socket, event, { signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]) });
  } catch (thrown) {
    socket.destroy();
    throw broken(host, thrown);
  }
}

const broken = (host: string, cause: unknown): HostError =>
  new HostError("fetch_failed", `The connection to ${host} failed: ${toHostError(cause).message}`, { cause });

class SocketStream implements ByteStream {
  readonly #host: string;
  readonly #signal: AbortSignal;
  #socket: Socket;

  constructor(socket: Socket, host: string, signal: AbortSignal) {
    this.#socket = socket;
    this.#host = host;
    this.#signal = signal;
    // Whoever reads is told; nobody else has to listen.
    socket.on("error", () => undefined);
    signal.addEventListener("abort", () => this.close(), { once: true });
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#socket.write(bytes, (error) => (error ? reject(broken(this.#host, error)) : resolve()));
    await promise;
  }

  async startTls(): Promise<void> {
    const socket: TLSSocket = connectTls({ socket: this.#socket, servername: this.#host });
    await opened(socket, { event: "secureConnect", host: this.#host, signal: this.#signal });
    socket.on("error", () => undefined);
    this.#socket = socket;
  }

  close(): void {
    this.#socket.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const socket = this.#socket;
      const chunk = await nextChunk(socket, this.#host);
      if (chunk !== undefined) yield chunk;
      else if (socket === this.#socket) return;
    }
  }
}

/** What is there to read, or comes next; nothing when the other side has ended it. */
async function nextChunk(socket: Socket, host: string): Promise<Uint8Array | undefined> {
  for (;;) {
    const chunk: unknown = socket.read();
    if (chunk instanceof Uint8Array) return chunk;
    if (socket.errored) throw broken(host, socket.errored);
    if (socket.readableEnded || socket.destroyed) return undefined;
    const heard = new AbortController();
    const { signal } = heard;
    try {
      await Promise.race(["readable", "end", "close"].map((event) => once(socket, event, { signal })));
    } catch (thrown) {
      throw broken(host, thrown);
    } finally {
      heard.abort();
    }
  }
}
