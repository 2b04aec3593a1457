import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { HOP_BY_HOP } from "../../../../shared/net/hop-by-hop.ts";
import { urlHost } from "../../../../shared/net/url-parts.ts";
import type { HostTarget } from "../port.ts";
import type { NetworkGate, Passage } from "./gate.ts";
import { type OuterProxies, requestTo, tunnelThrough } from "./outer-proxy.ts";
import { parseTarget } from "./host-list.ts";
import { splice } from "./splice.ts";

/** Connections of one session at a time, bytes of a request's headers, milliseconds for a connection. */
const MOST_CONNECTIONS = 256;
const HEADER_BYTES = 32 * 1024;
const CONNECT_MS = 30_000;

const NOT_PASSED_ON = new Set(["host", ...HOP_BY_HOP]);

/** The way out of one sandbox: an HTTP proxy on a socket that only this sandbox sees. Disposing it ends its connections. */
export class SandboxProxy implements AsyncDisposable {
  readonly #gate: NetworkGate;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  readonly #outer: OuterProxies | undefined;

  /** @param outer - the proxies of this machine's network, which connections to what is far go through */
  constructor(gate: NetworkGate, outer?: OuterProxies) {
    this.#gate = gate;
    this.#outer = outer;
    this.#server = createServer({
      maxHeaderSize: HEADER_BYTES,
      requestTimeout: 0,
      insecureHTTPParser: false,
    });
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.on("connection", (socket: Socket) => this.#keep(socket));
    this.#server.on("connect", (message: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#tunnel(message, socket, head);
    });
    this.#server.on("request", (message: IncomingMessage, answer: ServerResponse) => {
      void this.#forward(message, answer);
    });
    this.#server.on("clientError", (_error, socket) => socket.destroy());
    this.#server.unref();
  }

  /** @param path - of the socket; at most 100 bytes */
  async listen(path: string): Promise<void> {
    this.#server.listen(path);
    await once(this.#server, "listening");
  }

  /** Listens on a free port of this machine. Resolves with the port. */
  async listenLocally(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #keep(socket: Duplex): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    // Whoever was there is gone; the other side is told by the end of its connection.
    socket.on("error", () => socket.destroy());
  }

  async #tunnel(message: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    this.#keep(client);
    const target = parseTarget(message.url ?? "");
    if (target?.port === undefined) return endWith(client, 400, "The proxy of the sandbox needs host:port.");
    const place = { host: target.host, port: target.port };
    const passage = await this.#gate.judge(place);
    if (!passage.passes) return endWith(client, 403, refusalText(place, passage.reason));
    const proxy = passage.isNear ? undefined : this.#outer?.to(place, "https");
    const remote =
      proxy === undefined
        ? await this.#connect(passage.addresses, place.port)
        : await tunnelThrough(proxy, place);
    if (remote === undefined) return endWith(client, 502, `${urlHost(place.host)} cannot be reached.`);
    if (typeof remote === "string")
      return endWith(client, 502, `${urlHost(place.host)} cannot be reached: ${remote}.`);
    if (proxy !== undefined) this.#keep(remote);
    if (client.destroyed) return void remote.destroy();
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) remote.write(head);
    splice(client, remote);
  }

  async #connect(addresses: readonly string[], port: number): Promise<Socket | undefined> {
    for (const host of addresses) {
      const socket = connect({ host, port, allowHalfOpen: true, timeout: CONNECT_MS });
      this.#keep(socket);
      socket.on("timeout", () => socket.destroy());
      try {
        await Promise.race([once(socket, "connect"), closed(socket)]);
        socket.setTimeout(0);
        return socket;
      } catch {
        socket.destroy(); // The next address may answer.
      }
    }
    return undefined;
  }

  async #forward(message: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = URL.parse(message.url ?? "");
    const target = url === null ? undefined : parseTarget(url.host);
    if (url?.protocol !== "http:" || target === undefined || url.username !== "" || url.password !== "") {
      return answerWith(answer, 400, "The proxy of the sandbox takes http addresses and CONNECT.");
    }
    const place = { host: target.host, port: target.port ?? 80 };
    const passage = await this.#gate.judge(place);
    if (!passage.passes) return answerWith(answer, 403, refusalText(place, passage.reason));
    const proxy = passage.isNear ? undefined : this.#outer?.to(place, "http");
    const { method } = message;
    const headers = { ...endToEnd(message.headers), host: url.host };
    let remote: ClientRequest;
    if (proxy === undefined) {
      const socket = await this.#connect(passage.addresses, place.port);
      if (socket === undefined) return answerWith(answer, 502, `${urlHost(place.host)} cannot be reached.`);
      const path = `${url.pathname}${url.search}`;
      remote = request({ createConnection: () => socket, method, path, headers });
    } else remote = requestTo(proxy, { method, path: url.href, headers, timeout: CONNECT_MS });
    remote.on("socket", (socket) => this.#keep(socket));
    this.#pass(message, remote, { answer, place });
  }

  /** Passes a request on, and its answer back. */
  #pass(
    message: IncomingMessage,
    remote: ClientRequest,
    { answer, place }: { readonly answer: ServerResponse; readonly place: HostTarget },
  ): void {
    remote.on("response", (reply) => {
      answer.writeHead(reply.statusCode ?? 502, endToEnd(reply.headers));
      pipeline(reply, answer, () => reply.destroy());
    });
    remote.on("error", () => {
      if (answer.headersSent) answer.destroy();
      else answerWith(answer, 502, `${urlHost(place.host)} cannot be reached.`);
    });
    answer.on("close", () => remote.destroy());
    pipeline(message, remote, () => undefined);
  }
}

async function closed(socket: Socket): Promise<never> {
  await once(socket, "close");
  throw new Error("The connection was closed");
}

/** The headers that are meant for the other end: what `Connection` names is for this one. */
function endToEnd(headers: IncomingMessage["headers"]): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || NOT_PASSED_ON.has(name) || named.has(name) ? [] : [[name, value]],
    ),
  );
}

function refusalText(
  { host, port }: HostTarget,
  reason: Extract<Passage, { passes: false }>["reason"],
): string {
  const place = `${urlHost(host)}:${port}`;
  switch (reason) {
    case "unlisted":
      return `The sandbox refuses ${place}: it is not on the list of hosts (sandbox.hosts). Ask the person to allow ${host}, or do without it.`;
    case "private":
      return `The sandbox refuses ${place}: it leads to this machine or an inner network. The person can list its address with the port in sandbox.hosts.`;
    case "unknown":
      return `${place} has no address: its name cannot be resolved.`;
  }
}

function endWith(client: Duplex, status: number, text: string): void {
  const phrase = status === 403 ? "Forbidden" : status === 502 ? "Bad Gateway" : "Bad Request";
  client.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text) + 1}\r\nConnection: close\r\n\r\n${text}\n`,
  );
}

function answerWith(answer: ServerResponse, status: number, text: string): void {
  if (answer.destroyed) return;
  answer.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" });
  answer.end(`${text}\n`);
}
