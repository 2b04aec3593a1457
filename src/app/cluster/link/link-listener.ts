import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";

/** The path of the address that hosts advertise, under which they take calls of others. */
export const LINK_PATH = "/cluster/link";
/** Bytes of one message of a host that is trusted. */
export const LARGEST_LINK_MESSAGE = 64 * 1024 * 1024;
/** What somebody may say who has not proved yet that it belongs here: two greetings are some hundred bytes. */
const UNKNOWN_BYTES = 4096;
/** Callers at once who have not proved it yet, and connections in all. */
const MOST_UNKNOWN = 64;
const MOST_CONNECTIONS = 2048;
const REQUEST_MS = 5000;

/** A call, and who calls, as the network says. */
export interface LinkCall {
  readonly socket: WebSocket;
  readonly from: string;
}

/** A place where calls of other hosts are taken. */
export interface LinkListenerChoice {
  readonly port: number;
  /** All addresses of this machine when there is none. */
  readonly host?: string;
  /** Resolves when it is known whether the caller belongs here; until then it may say little, and few like it may be there. */
  readonly greet: (call: LinkCall) => Promise<unknown>;
  readonly failed: (error: Error) => void;
}

/** The door through which other hosts call. */
export class LinkListener implements AsyncDisposable {
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  readonly #greet: LinkListenerChoice["greet"];
  #unknown = 0;

  private constructor(http: Server, sockets: WebSocketServer, greet: LinkListenerChoice["greet"]) {
    this.#http = http;
    this.#sockets = sockets;
    this.#greet = greet;
    http.on("upgrade", (request, stream, head) => {
      const mayCall = request.url === LINK_PATH && this.#unknown < MOST_UNKNOWN;
      if (!mayCall || head.length > UNKNOWN_BYTES) return void stream.destroy();
      const from = request.socket.remoteAddress ?? "an unknown address";
      sockets.handleUpgrade(request, stream, head, (socket) => void this.#take({ socket, from }, stream));
    });
  }

  /** @throws when nobody can listen there */
  static async listen({ port, host, greet, failed }: LinkListenerChoice): Promise<LinkListener> {
    const { WebSocketServer } = await import("ws");
    const limits = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, maxHeaderSize: UNKNOWN_BYTES };
    const http = createServer(limits, (_request, response) => response.writeHead(426).end());
    http.maxConnections = MOST_CONNECTIONS;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    http.once("error", reject).listen(port, host, resolve);
    await promise;
    http.off("error", reject).on("error", failed);
    const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_LINK_MESSAGE });
    return new LinkListener(http, sockets, greet);
  }

  get port(): number {
    // It listens on a port.
    return (this.#http.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Who is about to be a WebSocket is refused from now on.
    this.#sockets.close();
    for (const client of this.#sockets.clients) client.terminate();
    await new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
      this.#http.closeAllConnections();
    });
  }

  /** The size of a message is limited for those who are trusted; others are cut off by what they send at all. */
  async #take(call: LinkCall, stream: Duplex): Promise<void> {
    let said = 0;
    const count = ({ length }: Uint8Array): void => {
      said += length;
      if (said > UNKNOWN_BYTES) stream.destroy();
    };
    stream.on("data", count);
    this.#unknown += 1;
    try {
      await this.#greet(call);
    } finally {
      this.#unknown -= 1;
      stream.off("data", count);
    }
  }
}
