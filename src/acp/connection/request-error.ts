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
import { INTERNAL_ERROR, INVALID_PARAMS, type JsonRpcError, METHOD_NOT_FOUND } from "../../jsonrpc/index.ts";

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

const LONGEST_MESSAGE = 1000;

/**
 * Makes an error readable for people: one line that names the problem in place of a validator's tree. An unexpected
 * failure says nothing of the agent's inside.
 */
export function readableError({ code, message, data }: JsonRpcError): JsonRpcError {
  if (code === INVALID_PARAMS && isJsonObject(data)) {
    const problem = firstProblem(data);
    if (problem !== undefined) return { code, message: oneLine(`Invalid params: ${problem}`) };
  }
  if (code === INVALID_PARAMS && typeof data === "string") {
    const problem = firstIssue(data);
    if (problem !== undefined) return { code, message: oneLine(`Invalid params: ${problem}`) };
  }
  if (code === METHOD_NOT_FOUND && isJsonObject(data) && typeof data["method"] === "string") {
    return { code, message: oneLine(`Method not found: ${data["method"]}`), data };
  }
  if (code === INTERNAL_ERROR && isJsonObject(data) && Object.keys(data).join() === "details") {
    return { code, message: "Internal error" };
  }
  return { code, message: oneLine(message), ...defined({ data }) };
}

/** Finds the first problem in a validator's list, which the SDK writes behind some words, with the path to it. */
function firstIssue(text: string): string | undefined {
  try {
    const issues: unknown = JSON.parse(text.slice(text.indexOf("[")));
    const [issue]: unknown[] = Array.isArray(issues) ? issues : [];
    if (!isJsonObject(issue) || typeof issue["message"] !== "string") return undefined;
    const path = Array.isArray(issue["path"]) ? issue["path"].join(".") : "";
    return path === "" ? issue["message"] : `${path}: ${issue["message"]}`;
  } catch {
    return undefined;
  }
}

/** Finds the first problem in a validator's tree, with the path to it. */
function firstProblem(tree: Record<string, unknown>, path = ""): string | undefined {
  const { _errors: own, ...children } = tree;
  if (!Array.isArray(own)) return undefined;
  const names = Object.keys(children);
  // The value has none of several allowed forms: the problems with all of them are mixed here.
  if (names.includes("type")) {
    const problem = `it has none of the forms that are allowed; look at its ${names.join(", ")}`;
    return path === "" ? problem : `${path}: ${problem}`;
  }
  for (const [key, child] of Object.entries(children)) {
    const below = isJsonObject(child) ? firstProblem(child, path === "" ? key : `${path}.${key}`) : undefined;
    if (below !== undefined) return below;
  }
  const [first] = own.filter((entry) => typeof entry === "string");
  if (first === undefined) return undefined;
  return path === "" ? first : `${path}: ${first}`;
}

function oneLine(text: string): string {
  const lines = text.split(/[\r\n\u2028\u2029]/).map((line) => line.trim());
  const line = lines.filter((each) => each !== "").join(" ");
  if (line === "") return "Unknown error";
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE).toWellFormed()}…` : line;
}
