import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Duplex } from "node:stream";
import { systemErrorCode } from "../../shared/errors/system-error.ts";
import { urlHost } from "../../shared/net/url-parts.ts";
import { MOST_CONNECTIONS, openPort, SERVER_LIMITS } from "../../http/server/open-port.ts";
import { levelOf } from "../../http/server/access-log.ts";
import { discardRest } from "../../http/server/rest-of-body.ts";
import { type Framing, framingOf } from "./framing.ts";
import { answeredHeaders, forwardedHeaders } from "./headers.ts";

/** The options of a reverse proxy. */
export interface ReverseProxyOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Ports of the upstreams on 127.0.0.1. */
  readonly upstreams: Upstreams;
  /** Passes the gateway's WebSocket on, `/api/ws`, which asks for its own token. */
  readonly gateway?: boolean;
  /** PEM; without it the front is plain http. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly log: (record: Readonly<Record<string, unknown>> & { readonly event: string }) => void;
}

/** Ports on this machine, by the name of what listens there. Without a dashboard its addresses are not there. */
type Upstreams = Readonly<Record<"api_server" | "webhook", number>> & { readonly dashboard?: number };

/** A front address that listens. */
export interface ReverseProxy extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

const LOOPBACK = "127.0.0.1";
const REQUEST_MS = 300_000;
const CONNECT_MS = 5000;

/**
 * Opens the address under which a deployment is known: `/v1/` and `/webhooks/` go on to the connectors on this
 * machine, as they come and without being collected, the gateway's WebSocket when it is told to, and pages to the
 * dashboard where there is one; nothing else is reachable.
 *
 * @throws HostError `config_invalid` when the address cannot be used
 */
export async function openReverseProxy(options: ReverseProxyOptions): Promise<ReverseProxy> {
  const limits: ServerOptions = {
    ...SERVER_LIMITS,
    requestTimeout: REQUEST_MS,
    // A request for another protocol that has a body is answered as if it had asked for none.
    shouldUpgradeCallback: (request) =>
      request.headers.upgrade?.toLowerCase() === "websocket" &&
      request.method === "GET" &&
      framingOf(request)?.kind === "none",
  };
  const { tls, host, port } = options;
  const server = tls === undefined ? createServer(limits) : createTlsServer({ ...limits, ...tls });
  server.maxConnections = MOST_CONNECTIONS;
  const protocol = tls === undefined ? "http" : "https";
  server.on("request", (request, response) => {
    discardRest(request, response);
    pass(request, response, { ...options, protocol });
  });
  server.on("upgrade", (request, socket, head) =>
    passUpgrade(request, { socket, head }, { ...options, protocol }),
  );
  server.on("clientError", (_error, socket) =>
    socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n"),
  );
  const bound = await openPort(server, { host, port });
  return {
    url: `${protocol}://${urlHost(host)}:${bound}`,
    port: bound,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

type Way = ReverseProxyOptions & { readonly protocol: "http" | "https" };

function pass(request: IncomingMessage, response: ServerResponse, way: Way): void {
  response.on("close", () => {
    const { method, socket } = request;
    const [path] = (request.url ?? "").split("?", 1);
    const { statusCode: status } = response;
    const level = levelOf(status);
    way.log({ event: "front.request", level, peer: socket.remoteAddress, method, path, status });
  });
  const upstream = upstreamOf(request.url ?? "", { dashboard: way.upstreams.dashboard !== undefined });
  const framing = framingOf(request);
  if (framing === undefined) {
    // What follows it on this connection is of unknown meaning too.
    response.setHeader("connection", "close");
    return answer(response, 400, { error: "bad_request", message: UNCLEAR });
  }
  if (upstream === false)
    return answer(response, 400, { error: "bad_request", message: "This path is not passed on." });
  if (upstream === undefined)
    return answer(response, 404, { error: "not_found", message: "There is nothing here." });
  const onward = ask(request, { upstream, way, framing, upgrade: false });
  onward.on("response", (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.statusMessage, answeredHeaders(answered));
    response.flushHeaders();
    answered.on("error", () => response.destroy());
    answered.pipe(response);
  });
  onward.on("error", (cause) => {
    if (response.headersSent) return void response.destroy();
    const [status, body] = unreachable(cause, upstream);
    answer(response, status, body);
  });
  response.on("close", () => {
    // The rest of the request is read and dropped.
    request.unpipe(onward).resume();
    onward.destroy();
  });
  request.on("error", () => void onward.destroy());
  response.socket?.setNoDelay(true);
  if (framing.kind === "none") onward.end();
  else request.pipe(onward);
}

const UNCLEAR =
  "Servers could read this request differently: send one Host, and one Content-Length or `Transfer-Encoding: chunked`, which Connection does not name.";

interface Onward {
  readonly upstream: Upstream;
  readonly way: Way;
  readonly framing: Framing;
  readonly upgrade: boolean;
}

/** Begins the request to the upstream; nobody chooses another machine. */
function ask(request: IncomingMessage, { upstream, way, framing, upgrade }: Onward) {
  // Only the dashboard may be missing, and then nothing goes there.
  const port = way.upstreams[upstream] ?? 0;
  const host = `${LOOPBACK}:${port}`;
  return httpRequest({
    host: LOOPBACK,
    port,
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: forwardedHeaders(request, { host, protocol: way.protocol, framing, upgrade }),
    // A connection of its own: what is left of one request is never taken for the next one's.
    agent: false,
    timeout: 0,
  }).on("socket", (socket) => {
    socket.setNoDelay(true);
    if (socket.connecting)
      socket.setTimeout(CONNECT_MS, () => void socket.destroy(new Error("connect timed out")));
    socket.once("connect", () => socket.setTimeout(0));
  });
}

function answer(response: ServerResponse, status: number, body: Readonly<Record<string, unknown>>): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  response.end(text);
}

const NAMES: Readonly<Record<Upstream, string>> = {
  api_server: "API server",
  webhook: "webhook connector",
  dashboard: "dashboard",
};

function unreachable(cause: Error, upstream: Upstream): readonly [number, Readonly<Record<string, unknown>>] {
  if (systemErrorCode(cause) !== "ECONNREFUSED") {
    const message = `The ${NAMES[upstream]} did not answer.`;
    return [502, { error: "bad_gateway", connector: upstream, message }];
  }
  const message = `The ${NAMES[upstream]} is switched off, or does not listen on its usual port.`;
  return [503, { error: "connector_not_enabled", connector: upstream, message }];
}

/** A connection that becomes another protocol's: from then on bytes go both ways. */
function passUpgrade(
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  way: Way,
): void {
  const upstream = upstreamOf(request.url ?? "", {
    gateway: way.gateway === true,
    dashboard: way.upstreams.dashboard !== undefined,
  });
  socket.on("error", () => socket.destroy());
  if (upstream === undefined || upstream === false) return refuse(socket, upstream === false ? 400 : 404);
  const onward = ask(request, { upstream, way, framing: { kind: "none" }, upgrade: true });
  onward.on("upgrade", (answered, other, rest) => {
    const first = `HTTP/1.1 101 ${answered.statusMessage ?? "Switching Protocols"}`;
    socket.write(`${[first, ...pairs(answered.rawHeaders)].join("\r\n")}\r\n\r\n`);
    if (rest.length > 0) socket.write(rest);
    if (head.length > 0) other.write(head);
    other.on("error", () => socket.destroy());
    other.on("close", () => socket.destroy());
    socket.on("close", () => other.destroy());
    other.pipe(socket);
    socket.pipe(other);
  });
  onward.on("response", (answered) => {
    answered.resume();
    refuse(socket, answered.statusCode ?? 502);
  });
  onward.on("error", (cause) => refuse(socket, unreachable(cause, upstream)[0]));
  socket.on("close", () => void onward.destroy());
  onward.end();
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}

const pairs = (raw: readonly string[]): readonly string[] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${raw[index + 1] ?? ""}`] : []));

/** The upstreams that are reachable from outside. */
type Upstream = keyof Upstreams;

const PREFIXES: readonly (readonly [prefix: string, upstream: Upstream])[] = [
  ["/v1/", "api_server"],
  ["/webhooks/", "webhook"],
];

/** Only connections that become WebSockets go there. */
const GATEWAY_PATH = "/api/ws";
/** What the other servers of this machine have, and is not for outside. */
const INNER = /^\/(?:api|v1|webhooks|health|metrics)(?:\/|$)/;

/**
 * Where a request goes. What it asks for is passed on as it is written, so it must mean the same to everybody: no
 * step upwards, no slash or dot in disguise, nothing that is read differently elsewhere.
 *
 * @param target - as it stands in the request line
 * @param open - what is reachable beside the two connectors: the gateway's WebSocket, the dashboard
 * @returns `undefined` for a path that is not reachable, `false` for one that no honest client writes
 */
function upstreamOf(
  target: string,
  { gateway = false, dashboard }: { readonly gateway?: boolean; readonly dashboard: boolean },
): Upstream | undefined | false {
  const [path = ""] = target.split("?", 1);
  // Printable ASCII only, and a path from the root: no other server's address.
  if (!/^\/[!-~]*$/.test(target) || target.includes("#")) return false;
  if (/\\|%2e|%2f|%5c|%25|%[01][0-9a-f]|%7f/i.test(path) || path.includes("//")) return false;
  if (path.split("/").some((part) => part === "." || part === ".." || part.startsWith("..;"))) return false;
  if (gateway && path === GATEWAY_PATH) return "api_server";
  const connector = PREFIXES.find(([prefix]) => path.startsWith(prefix))?.[1];
  return connector ?? (dashboard && !INNER.test(path) ? "dashboard" : undefined);
}
