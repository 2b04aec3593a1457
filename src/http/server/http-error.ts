import { defined } from "../../shared/json/defined.ts";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ERROR_CODES, HostError, messageOf } from "../../shared/errors/host-error.ts";
import type { Redactor } from "../../shared/text/redact.ts";

type ErrorType = "invalid_request_error" | "rate_limit_error" | "server_error";

/** The details of an error of a request. */
export interface HttpErrorDetails {
  /** For machines; `null` where the wire has none. */
  readonly code?: string | null;
  /** Follows from the status by default. */
  readonly type?: ErrorType;
  /** The field or header that was wrong. */
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** More fields of the error object. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A request that is not carried out, as its sender is told: the wire's own codes, which are more than the host's. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: ContentfulStatusCode;
  readonly details: HttpErrorDetails;

  constructor(status: ContentfulStatusCode, message: string, details: HttpErrorDetails = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.status = status;
    this.details = details;
  }
}

/** Makes the error of a request with a wrong field or header. */
export const badRequest = (message: string, param: string, code?: string): HttpError =>
  new HttpError(400, message, { param, ...defined({ code }) });

/** Writes the error envelope; its four keys are always there. */
export function encodeHttpError({ status, message, details }: HttpError) {
  const { type = typeOf(status), param = null, code = null, extra } = details;
  return { error: { message, type, param, code, ...extra } };
}

function typeOf(status: number): ErrorType {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** Seconds after which a error for want of room may be over. */
const SOON = { "retry-after": "1" };

export const draining = (): HttpError =>
  new HttpError(503, "The gateway is shutting down and takes no new work; try again in a moment.", {
    code: "gateway_draining",
    type: "invalid_request_error",
    headers: SOON,
  });

export const tooManyRuns = (limit: number): HttpError =>
  new HttpError(429, `Too many concurrent runs (max ${limit})`, {
    code: "rate_limit_exceeded",
    headers: SOON,
  });

/** Turns anything thrown into the error that the client may see. */
export function toHttpError(thrown: unknown, redactor: Redactor): HttpError {
  if (thrown instanceof HttpError) return thrown;
  if (!(thrown instanceof HostError) || thrown.code === "internal") {
    const why = messageOf(thrown);
    return new HttpError(500, redactor.hide(`Internal server error: ${why}`), { cause: thrown });
  }
  if (thrown.code === "draining") return draining();
  const { code, details } = thrown;
  const wait = details.retryAfterMs;
  const param = code === "model_unknown" ? "model" : code === "invalid_params" ? details.subject : undefined;
  // On the wire, a store that cannot be had is a request that cannot be taken, as one is while the server shuts down.
  const wire = { code: "session_db_unavailable", type: "invalid_request_error" } as const;
  return new HttpError(ERROR_CODES[code].http, redactor.hide(thrown.message), {
    ...(code === "store_unavailable" ? wire : { code }),
    cause: thrown,
    ...defined({
      param,
      headers: wait === undefined ? undefined : { "retry-after": String(Math.ceil(wait / 1000)) },
    }),
  });
}
