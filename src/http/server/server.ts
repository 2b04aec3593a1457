import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
// Made here, before there is a server: the first one replaces `Response`, and what is made later would be sent again.
export { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { refuseConnection, SECURITY_HEADERS } from "../../shared/net/bare-answer.ts";
import { urlHost } from "../../shared/net/url-parts.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { Arrivals } from "./arrivals.ts";
import type { HttpApp } from "./context.ts";
import { continueWhenRead } from "./continue-when-read.ts";
import { encodeHttpError, HttpError } from "./http-error.ts";
import { type ListenAddress, MOST_CONNECTIONS, openPort, SERVER_LIMITS } from "./open-port.ts";
import { discardRest } from "./rest-of-body.ts";
import { NO_HOST, refuseRequest, refuseUnreadable } from "./unreadable-requests.ts";

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
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    discardRest(request, response);
    if (request.httpVersion === "1.1" && request.headers.host === undefined) refuseRequest(response, NO_HOST);
    else void handle(request, response);
  };
  const server = createServer(
    {
      ...SERVER_LIMITS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: 5000,
      requireHostHeader: false,
    },
    serve,
  );
  const arrivals = new Arrivals(server, systemClock);
  const fetch = (request: Request, env: object): Response | Promise<Response> =>
    arrivals.over?.then(() => app.fetch(request, env)) ?? app.fetch(request, env);
  const handle = getRequestListener(fetch, {
    hostname: host,
    autoCleanupIncoming: false,
    errorHandler: () => refused(new HttpError(400, "This is no request that can be read.")),
  });
  server.on("checkContinue", (request, response) => {
    continueWhenRead(response);
    serve(request, response);
  });
  server.maxConnections = MOST_CONNECTIONS;
  refuseUnreadable(server);
  server.on("upgrade", (request, socket, head) => {
    if (upgrade?.(request, socket, head) !== true) refuseConnection(socket, NO_WEB_SOCKET);
  });
  const bound = await openPort(server, { host, port });
  return {
    host,
    port: bound,
    url: `http://${urlHost(host)}:${bound}`,
    close: (graceMs = 0) => closed(server, graceMs),
  };
}

const NO_WEB_SOCKET = { status: 404, code: "not_found", message: "There is no WebSocket here." };

function closed(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  return promise.finally(() => clearTimeout(timer));
}

const refused = (error: HttpError): Response =>
  Response.json(encodeHttpError(error), { status: error.status, headers: SECURITY_HEADERS });
