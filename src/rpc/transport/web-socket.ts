import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { type Clock, systemClock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { type BareRefusal, refuseConnection } from "../../shared/net/bare-answer.ts";
import { urlHost } from "../../shared/net/url-parts.ts";
import { type Accept, LARGEST_MESSAGE, type Peer } from "../wire.ts";
import { type SocketAdmission, socketRefusal } from "./admission.ts";
import { SocketWire } from "./socket-wire.ts";

/** The path of the gateway on a server. */
export const SOCKET_PATH = "/api/ws";

const PING_MS = 20_000;

/** The options of a gateway on WebSockets: who may connect, and how long messages may be. */
export interface SocketOptions {
  readonly admission: SocketAdmission;
  readonly clock?: Clock;
  /** Bytes that a message may have; 40 MB by default. Larger ones close the connection with 1009. */
  readonly largest?: number;
  /** Told of each request for a connection: 101 when it was taken, else the status of the refusal. */
  readonly observe?: (request: IncomingMessage, status: number) => void;
}

/** The beginning of a connection on a WebSocket. */
export interface Handshake {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** A server that listens for the gateway alone. */
export interface SocketListener {
  /** `ws://…/api/ws`, without a credential. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * The gateway on WebSockets: mounted on the `upgrade` of an HTTP server, or on a server of its own. Each connection is
 * asked every 20 s whether it is there; one that does not answer by the next time is let go of.
 */
export class SocketGateway {
  readonly #accept: Accept;
  readonly #options: SocketOptions;
  readonly #clock: Clock;
  readonly #server: WebSocketServer;
  readonly #wires = new Set<SocketWire>();
  #stopPinging: () => void = () => undefined;

  constructor(accept: Accept, options: SocketOptions) {
    this.#accept = accept;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: options.largest ?? LARGEST_MESSAGE,
      perMessageDeflate: false,
    });
    this.#server.on("wsClientError", ({ message }, socket) =>
      refuseConnection(socket, badHandshake(message)),
    );
    this.#pingLater();
  }

  /** Takes over a request for a connection; `false` when it is for another path and was not touched. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const [path] = (request.url ?? "").split("?", 1);
    if (path !== SOCKET_PATH) return false;
    // A peer that leaves in the middle of the handshake is nobody's failure.
    socket.on("error", () => socket.destroy());
    const refusal = socketRefusal(request, this.#options.admission);
    this.#options.observe?.(request, refusal?.status ?? 101);
    if (refusal !== undefined) refuseConnection(socket, refusal);
    else this.#take({ request, socket, head });
    return true;
  }

  /** The same for somebody who was let in already, by a cookie for instance, on whatever path. */
  takeOver(handshake: Handshake, peer: Peer): void {
    handshake.socket.on("error", () => handshake.socket.destroy());
    this.#take(handshake, peer);
  }

  /** Serves the path of the gateway on a server; the function that it gives ends that. */
  mount(server: Server): () => void {
    const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      if (this.upgrade(request, socket, head) || server.listenerCount("upgrade") > 1) return;
      const message = `There is no WebSocket here; the gateway is at ${SOCKET_PATH}.`;
      refuseConnection(socket, { status: 404, code: "not_found", message });
    };
    server.on("upgrade", upgrade);
    return () => void server.off("upgrade", upgrade);
  }

  /** Serves it on a server of its own. @throws HostError `config_invalid` when the address cannot be used */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<SocketListener> {
    const server = createServer((_request, response) => {
      response.writeHead(426, { "content-type": "text/plain; charset=utf-8", upgrade: "websocket" });
      response.end(`The gateway speaks WebSocket at ${SOCKET_PATH}.\n`);
    });
    this.mount(server);
    const opened = Promise.withResolvers<void>();
    server.once("error", (cause) => {
      const message = `Cannot listen on ${host}:${port}: ${cause.message}. Choose another one with --listen.`;
      opened.reject(new HostError("config_invalid", message, { cause }));
    });
    server.listen(port, host, opened.resolve);
    await opened.promise;
    // A server that listens on a port has an address of this form.
    const { port: bound } = server.address() as AddressInfo;
    return {
      url: `ws://${urlHost(host)}:${bound}${SOCKET_PATH}`,
      port: bound,
      close: () => closed(server),
    };
  }

  /** Takes no more connections; those that there are end with their gateway. */
  close(): void {
    this.#stopPinging();
    this.#server.close();
  }

  #take({ request, socket: stream, head }: Handshake, peer?: Peer): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const gone = (): void => void this.#wires.delete(wire);
      const wire: SocketWire = new SocketWire({
        socket,
        stream,
        clock: this.#clock,
        accept: this.#accept,
        gone,
        ...(peer === undefined ? {} : { peer }),
      });
      this.#wires.add(wire);
    });
  }

  #pingLater(): void {
    this.#stopPinging = this.#clock.after(PING_MS, () => {
      for (const wire of this.#wires) wire.ping();
      this.#pingLater();
    });
  }
}

function closed(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}

const badHandshake = (fault: string): BareRefusal => ({
  status: 400,
  message: `This is no WebSocket handshake: ${fault}.`,
  headers: { "sec-websocket-version": "13" },
});
