import { RequestError } from "@agentclientprotocol/sdk/unstable";
import {
  ERROR_CODES,
  errorRecord,
  type ErrorRecord,
  HostError,
  toHostError,
} from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";

/** The ways to log in; errors that a login may mend list them. */
export type AuthMethods = readonly object[];

/** An error about one parameter of a request. @param place - the path to the parameter */
export const invalidParam = (place: string, problem: string, cause?: unknown): HostError =>
  new HostError("invalid_params", `Invalid params: ${place}: ${problem}.`, {
    ...defined({ cause }),
    details: { subject: place },
  });

/** Writes a failure for the wire: its class, and what a client can do about it. */
export function requestError(
  { code, message, details = {} }: ErrorRecord,
  { authMethods, sessionId }: { readonly authMethods?: AuthMethods; readonly sessionId?: unknown } = {},
): RequestError {
  const { retryAfterMs, requestId, status } = details;
  const { acp } = ERROR_CODES[code];
  const mayLogIn = acp === ERROR_CODES.unauthorized.acp;
  const shown = {
    retryAfterMs,
    requestId,
    status,
    authMethods: mayLogIn ? authMethods : undefined,
    sessionId,
  };
  return new RequestError(acp, message, { code, ...defined(shown) });
}

/** Writes anything thrown for the wire. An unforeseen failure goes to the log; the client learns only that it happened. */
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
  const isLost = error.code === "session_not_found" && isJsonObject(params);
  return requestError(errorRecord(error), {
    authMethods,
    sessionId: isLost ? params["sessionId"] : undefined,
  });
}
