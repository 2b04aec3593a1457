import { RequestError } from "@agentclientprotocol/sdk/unstable";
import {
  ERROR_CODES,
  type ErrorRecord,
  type HostError,
  errorRecord,
  toHostError,
} from "../../shared/errors/host-error.ts";

/** The ways to log in, which are told with every error that a login may mend. */
export type AuthMethods = readonly object[];

/** What the wire says of a failure: its class, and what a client can do about it. */
export function requestError(
  record: ErrorRecord,
  {
    authMethods,
    ...more
  }: { readonly authMethods?: AuthMethods | undefined; readonly sessionId?: unknown } = {},
): RequestError {
  const { code, message, details = {} } = record;
  const { retryAfterMs, requestId, status } = details;
  const { acp } = ERROR_CODES[code];
  return new RequestError(acp, message, {
    code,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(status === undefined ? {} : { status }),
    ...(authMethods !== undefined && acp === ERROR_CODES.unauthorized.acp ? { authMethods } : {}),
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
    readonly authMethods: AuthMethods;
  },
): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const error = toHostError(thrown);
  if (error.code === "internal") {
    report(error);
    return new RequestError(ERROR_CODES.internal.acp, "Internal error; the agent's log says more.");
  }
  return requestError(errorRecord(error), {
    authMethods,
    ...(error.code === "session_not_found" ? { sessionId: sessionIdIn(params) } : {}),
  });
}

function sessionIdIn(params: unknown): unknown {
  return typeof params === "object" && params !== null && "sessionId" in params
    ? params.sessionId
    : undefined;
}
