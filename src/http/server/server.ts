import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
// Made here, before there is a server: the first one replaces `Response`, and what is made later would be sent again.
export { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { urlHost } from "../../shared/net/url-parts.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { Arrivals } from "./arrivals.ts";
import type { HttpApp } from "./context.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";
import { encodeHttpError, HttpError } from "./http-error.ts";
import { type ListenAddress, MOST_CONNECTIONS, openPort, SERVER_LIMITS } from "./open-port.ts";
import { discardRest } from "./rest-of-body.ts";

/** A function that takes over a connection for another protocol; `false` if it does not want it. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/** A server that listens. */
export interface HttpServer {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Closes the server: it accepts nothing any more, and cuts open connections after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

const REQUEST_MS = 120_000;
/** Starts a server for an app. @throws HostError `config_invalid` when the address cannot be used */
export async function listen(
  app: HttpApp,
  { host, port }: ListenAddress,
  upgrade?: Upgrade,
): Promise<HttpServer> {
  const server = createServer(
    { ...SERVER_LIMITS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 5000 },
    (request, response) => {
      discardRest(request, response);
      void handle(request, response);
    },
  );
  const arrivals = new Arrivals(server, systemClock);
  const fetch = (request: Request, env: object): Response | Promise<Response> =>
    arrivals.over?.then(() => app.fetch(request, env)) ?? app.fetch(request, env);
  const handle = getRequestListener(fetch, {
    hostname: host,
    autoCleanupIncoming: false,
    errorHandler: () => refused(new HttpError(400, "This is no request that can be read.")),
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on("clientError", refuseGarbage);
  server.on("upgrade", (request, socket, head) => {
    if (upgrade?.(request, socket, head) !== true) socket.end(rawAnswer(404, "There is no WebSocket here."));
  });
  const bound = await openPort(server, { host, port });
  return {
    host,
    port: bound,
    url: `http://${urlHost(host)}:${bound}`,
    close: (graceMs = 0) => closed(server, graceMs),
  };
}

function closed(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  return promise.finally(() => clearTimeout(timer));
}

const refused = (error: HttpError): Response =>
  Response.json(encodeHttpError(error), { status: error.status, headers: SECURITY_HEADERS });

/** Answers a request that the parser could not read, and closes its connection. */
function refuseGarbage(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, message] = GARBAGE[error.code ?? ""] ?? [400, "This is no HTTP request that can be read."];
  socket.end(rawAnswer(status, message));
}

const GARBAGE: Readonly<Record<string, readonly [ContentfulStatusCode, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive."],
};

function rawAnswer(status: ContentfulStatusCode, message: string): string {
  const body = JSON.stringify(encodeHttpError(new HttpError(status, message)));
  const headers = { ...SECURITY_HEADERS, "content-type": "application/json", connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n${lines.join("")}${length}\r\n${body}`;
}
