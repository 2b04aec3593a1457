import { defined } from "../../shared/json/defined.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { Redactor } from "../../shared/text/redact.ts";
import { routePath } from "hono/route";
import { levelOf, type ServerLog, type ServerLogRecord, shownPath } from "./access-log.ts";
import type { HttpApp, HttpContext } from "./context.ts";
import { setHeaders } from "./security-headers.ts";
import { encodeHttpError, HttpError, toHttpError } from "./http-error.ts";

/** The options of the middleware. */
export interface MiddlewareOptions {
  /** Who may call. */
  readonly check: AccessCheck;
  /** The headers of every answer; those for programs by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where a list of all paths is, for who asks for one that there is not. */
  readonly paths: string;
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
  const { check, headers } = options;
  app.use("*", async (c, next) => {
    const started = options.clock.monotonic();
    c.set("requestId", options.newId());
    c.header("x-request-id", c.var.requestId);
    setHeaders(c, headers);
    const refused = answered(c, await check(c));
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
  app.notFound((c) => refuse(c, unknownPath(app, c, options.paths), options));
}

/** Says who may call: `undefined` lets a request in, an error or an answer does not. */
export type AccessCheck = (
  c: HttpContext,
) => HttpError | Response | undefined | Promise<HttpError | Response | undefined>;

const answered = (c: HttpContext, refusal: HttpError | Response | undefined): Response | undefined =>
  refusal instanceof HttpError ? envelope(c, refusal) : refusal;

/** Characters of a message in the log. */
const LONGEST_ERROR = 500;

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
function unknownPath(app: HttpApp, c: HttpContext, paths: string): HttpError {
  const segments = c.req.path.split("/");
  const methods = app.routes
    .filter(({ method, path }) => method !== "ALL" && matches(path.split("/"), segments))
    .map(({ method }) => method);
  const { method, path } = c.req;
  if (methods.length === 0)
    return new HttpError(404, `There is no ${path} here. ${paths}`, {
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
