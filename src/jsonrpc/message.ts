import { messageOf } from "../shared/errors/host-error.ts";
import { cleanJson, isJsonObject } from "../shared/json/json.ts";

/** An error as it stands in a JSON-RPC response. */
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

/** The id of a request, as its sender wrote it. */
export type RequestId = string | number | null;

type Body = Readonly<Record<string, unknown>>;

/** One message of the other side, told apart. `body` is the whole of it. */
export type JsonRpcMessage =
  | {
      readonly type: "request";
      readonly id: RequestId;
      readonly method: string;
      readonly params: unknown;
      readonly body: Body;
    }
  | { readonly type: "notification"; readonly method: string; readonly params: unknown; readonly body: Body }
  /** Its result or error is in the body, not yet looked at. */
  | { readonly type: "response"; readonly id: RequestId; readonly body: Body }
  | InvalidMessage
  | { readonly type: "blank" };

/** A text that is no message, with the error that answers it. */
interface InvalidMessage {
  readonly type: "invalid";
  readonly problem: "json" | "batch" | "shape" | "version" | "id" | "method" | "nesting";
  /** The id of the request that is answered; `null` when it cannot be known, or when it is a response. */
  readonly id: RequestId;
  readonly error: JsonRpcError;
}

/** The rules that differ between protocols. */
export interface ReadRules {
  /** Refuses messages that do not say `jsonrpc: "2.0"`; `false` by default. */
  readonly version?: boolean;
  /** Refuses JSON that is nested too deeply, and drops `__proto__`; `true` by default. */
  readonly clean?: boolean;
}

/** Reads one message. Total: each text is something. */
export function readMessage(text: string, { version = false, clean = true }: ReadRules = {}): JsonRpcMessage {
  if (text.trim() === "") return { type: "blank" };
  let body: unknown;
  try {
    body = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    return invalid("json", null);
  }
  if (Array.isArray(body)) return invalid("batch", null);
  if (!isJsonObject(body)) return invalid("shape", null);
  const { id, method, params } = body;
  const known = method !== undefined && isRequestId(id) ? id : null;
  if (version && body["jsonrpc"] !== "2.0") return invalid("version", known);
  if (id !== undefined && !isRequestId(id)) return invalid("id", null);
  try {
    if (clean) cleanJson(body);
  } catch (thrown) {
    return invalid("nesting", known, messageOf(thrown));
  }
  if (method === undefined)
    return id === undefined ? invalid("shape", null, NEITHER) : { type: "response", id, body };
  if (typeof method !== "string") return invalid("method", known);
  if (id === undefined) return { type: "notification", method, params, body };
  return { type: "request", id, method, params, body };
}

/** A response that tells of a failure. */
export const errorResponse = (id: RequestId, error: JsonRpcError): object => ({ jsonrpc: "2.0", id, error });

/** Programs of some systems begin a text with it. */
const BYTE_ORDER_MARK = "\uFEFF";

/** An id that goes back as it came: JSON numbers beyond 2^53 would not. */
const isRequestId = (id: unknown): id is RequestId =>
  id === null ||
  typeof id === "string" ||
  (typeof id === "number" && Number.isFinite(id) && (Number.isSafeInteger(id) || !Number.isInteger(id)));

const NEITHER = "Invalid request: it is neither a request nor a response.";

const PROBLEMS: Readonly<Record<InvalidMessage["problem"], string>> = {
  json: "Parse error: this is no JSON. Send one JSON object per message.",
  batch: "Invalid request: JSON-RPC batches are not supported. Send each request as a message of its own.",
  shape: "Invalid request: a message is a JSON object.",
  version: 'Invalid request: jsonrpc must be "2.0".',
  id: "Invalid request: an id is a string, or a number that JSON carries exactly.",
  method: "Invalid request: a method is a string.",
  nesting: "Invalid request: the JSON is nested too deeply.",
};

function invalid(
  problem: InvalidMessage["problem"],
  id: RequestId,
  message = PROBLEMS[problem],
): InvalidMessage {
  const code = problem === "json" ? PARSE_ERROR : INVALID_REQUEST;
  return { type: "invalid", problem, id, error: { code, message } };
}
