import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { ERROR_CODES, type ErrorRecord, errorRecord, type HostError, toHostError } from "../../core/index.ts";

/** What the wire says of a failure: its class, and what a client can do about it. */
export function requestError(
  record: ErrorRecord,
  more: Readonly<Record<string, unknown>> = {},
): RequestError {
  const { code, message, details = {} } = record;
  const { retryAfterMs, requestId, status } = details;
  return new RequestError(ERROR_CODES[code].acp, message, {
    code,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(status === undefined ? {} : { status }),
    ...more,
  });
}

/** Anything thrown as an answer. What nobody foresaw goes to the log, and the client learns only that it happened. */
export function toRequestError(
  thrown: unknown,
  {
    params,
    report,
    authMethods,
  }: {
    readonly params: unknown;
    readonly report: (error: HostError) => void;
    /** Told with every error that a login may mend. */
    readonly authMethods: readonly object[];
  },
): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const error = toHostError(thrown);
  if (error.code === "internal") {
    report(error);
    return new RequestError(ERROR_CODES.internal.acp, "Internal error; the agent's log says more.");
  }
  const needsLogin = ERROR_CODES[error.code].acp === ERROR_CODES.unauthorized.acp;
  return requestError(errorRecord(error), {
    ...(error.code === "session_not_found" ? { sessionId: sessionIdIn(params) } : {}),
    ...(needsLogin ? { authMethods } : {}),
  });
}

function sessionIdIn(params: unknown): unknown {
  return typeof params === "object" && params !== null && "sessionId" in params
    ? params.sessionId
    : undefined;
}
