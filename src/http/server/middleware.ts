import { defined } from "../../shared/json/defined.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { Redactor } from "../../shared/text/redact.ts";
import { routePath } from "hono/route";
import { levelOf, type ServerLog, type ServerLogRecord, shownPath } from "./access-log.ts";
import { bearerCheck } from "./bearer.ts";
import type { HttpApp, HttpContext } from "./context.ts";
import { corsHeaders, preflightHeaders } from "./cors.ts";
import { hostCheck } from "./hosts.ts";
import { setHeaders } from "./security-headers.ts";
import { encodeHttpError, HttpError, toHttpError } from "./http-error.ts";

/** The options of the middleware. */
export interface MiddlewareOptions {
  /** The key that every caller must send as `Authorization: Bearer`. */
  readonly key: string;
  /** Web origins that may call; none by default. */
  readonly corsOrigins: readonly string[];
  /** Names that a `Host` header may have beside the loopback ones. */
  readonly hostNames: readonly string[];
  /** Paths that need no key. */
  readonly isOpen: (path: string) => boolean;
  readonly clock: Clock;
  readonly log: ServerLog;
  readonly redactor: () => Redactor;
  readonly newId: () => string;
  /** Told of each answer, for counting. */
  readonly observe: (answer: AnsweredRequest) => void;
}

/** One request as it was answered, for counting. */
export interface AnsweredRequest {
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

/** Installs what all routes share: request ids, headers, access checks, errors and the log. */
export function installMiddleware(app: HttpApp, options: MiddlewareOptions): void {
  const check = accessCheck(options);
  app.use("*", async (c, next) => {
    const started = options.clock.monotonic();
    c.set("requestId", options.newId());
    c.header("x-request-id", c.var.requestId);
    setHeaders(c);
    const refused = check(c);
    if (refused === undefined) await next();
    else c.res = refused;
    const ms = options.clock.monotonic() - started;
    options.log(line(c, ms));
    options.observe({
      route: refused === undefined ? `${c.req.method} ${routePath(c, -1)}` : "refused",
      status: c.res.status,
      ms,
    });
  });
  app.onError((thrown, c) => refuse(c, toHttpError(thrown, options.redactor()), options));
  app.notFound((c) => refuse(c, unknownPath(app, c), options));
}

/** Characters of a message in the log. */
const LONGEST_ERROR = 500;

type AccessCheck = (c: HttpContext) => Response | undefined;

/** Makes the access check: of the host name, then of the page's origin, then of the key. */
function accessCheck({ key, corsOrigins, hostNames, isOpen, redactor }: MiddlewareOptions): AccessCheck {
  const isOurs = hostCheck(hostNames);
  const allow = corsHeaders(corsOrigins);
  const isKey = bearerCheck(key);
  const answer = (c: HttpContext, error: HttpError): Response => envelope(c, toHttpError(error, redactor()));
  return (c) => {
    const host = c.req.header("host");
    if (!isOurs(host)) return answer(c, wrongHost(host ?? ""));
    const origin = c.req.header("origin");
    const cors = origin === undefined ? undefined : allow(origin);
    if (origin !== undefined && cors === undefined) return nothing(c, 403);
    setHeaders(c, cors ?? {});
    if (c.req.method === "OPTIONS")
      return cors === undefined
        ? nothing(c, 403)
        : nothing(c, 200, preflightHeaders(c.req.header("access-control-request-headers")));
    if (isOpen(c.req.path) || isKey(c.req.header("authorization"))) return undefined;
    return answer(c, wrongKey());
  };
}

/** Answers without a body; without its length the client would wait for one. */
const nothing = (
  c: HttpContext,
  status: 200 | 403,
  headers: Readonly<Record<string, string>> = {},
): Response => c.body(null, status, { "content-length": "0", ...headers });

const wrongHost = (host: string): HttpError =>
  new HttpError(
    403,
    `This server is not called ${JSON.stringify(host.slice(0, 100))}. Call it by an address or name of its machine, or add the name to platforms.api_server.extra.allowed_hosts.`,
    { code: "host_not_allowed" },
  );

const wrongKey = (): HttpError =>
  new HttpError(
    401,
    "Invalid API key: this server wants its own key (API_SERVER_KEY) as `Authorization: Bearer <key>`, not a model provider's.",
    { code: "invalid_api_key", headers: { "www-authenticate": 'Bearer realm="agent"' } },
  );

function refuse(c: HttpContext, error: HttpError, { log }: MiddlewareOptions): Response {
  const { cause } = error;
  if (error.status === 500) {
    const stack = cause instanceof Error ? cause.stack : undefined;
    const { message } = error;
    log({ event: "http.failed", level: "error", request_id: c.var.requestId, message, stack });
  }
  return envelope(c, error);
}

function envelope(c: HttpContext, error: HttpError): Response {
  c.set("error", error);
  return c.json(encodeHttpError(error), error.status, { ...error.details.headers });
}

/** A path that is not there, or one that is asked in the wrong way. */
function unknownPath(app: HttpApp, c: HttpContext): HttpError {
  const segments = withoutSlash(c.req.path).split("/");
  const methods = app.routes
    .filter(({ method, path }) => method !== "ALL" && matches(path.split("/"), segments))
    .map(({ method }) => method);
  const { method, path } = c.req;
  if (methods.length === 0)
    return new HttpError(404, `There is no ${path} here. GET /v1/capabilities lists what there is.`, {
      code: "not_found",
    });
  const allow = [...new Set(methods.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])))].join(
    ", ",
  );
  return new HttpError(405, `${method} is not allowed on ${path}; it takes ${allow}.`, {
    code: "method_not_allowed",
    headers: { allow },
  });
}

/** Clients that join addresses put a slash at the end: it changes nothing. */
export const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;

const matches = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((part, index) => (part.startsWith(":") ? path[index] !== "" : part === path[index]));

function line(c: HttpContext, ms: number): ServerLogRecord {
  const { status } = c.res;
  const { error } = c.var;
  return {
    event: "http.request",
    level: levelOf(status),
    request_id: c.var.requestId,
    peer: c.env?.incoming?.socket.remoteAddress,
    method: c.req.method,
    path: shownPath(c.req.url),
    status,
    ms: Math.round(ms * 10) / 10,
    agent: c.req.header("user-agent")?.slice(0, 200),
    // The client is told its own mistakes; the log has the failures of the server.
    ...defined({
      code: error?.details.code,
      error: status < 500 ? undefined : error?.message.slice(0, LONGEST_ERROR),
    }),
  };
}
