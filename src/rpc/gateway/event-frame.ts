import { cleanJson, isJsonObject } from "../../shared/json/json.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { EventBody } from "../protocol/events.ts";
import { INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, type RpcError } from "./rpc-error.ts";

export type RequestId = string | number | null;

/** What one message of a client is. */
export type Incoming =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Params }
  | { readonly kind: "notification"; readonly method: string; readonly params: Params }
  | { readonly kind: "answer"; readonly id: string; readonly answer: ClientResponse }
  /** It is told why, when it can be told. */
  | { readonly kind: "refused"; readonly id: RequestId; readonly error: RpcError }
  | { readonly kind: "nothing" };

/** A notification of the host, as it goes over the wire. */
export function eventFrame({ type, payload }: EventBody, at: EventPlace): string {
  const params = { type, session_id: at.session, seq: at.seq, payload };
  return JSON.stringify({ jsonrpc: "2.0", method: "event", params });
}

/** Where a session's event stands. */
export interface EventPlace {
  readonly session: string;
  readonly seq: number;
}

type Params = Readonly<Record<string, unknown>>;

/** What a client said to a request of the host. */
export type ClientResponse = { readonly result: unknown } | { readonly error: { readonly code: number } };

/** Reads one message. Total: whatever comes is something. */
export function readMessage(text: string): Incoming {
  if (text.trim() === "") return { kind: "nothing" };
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(text));
  } catch {
    return refuse(null, PARSE_ERROR, "This is no JSON. Send one JSON object per message.");
  }
  if (Array.isArray(value)) {
    return refuse(null, INVALID_REQUEST, "Batches are not taken. Send each request as a message of its own.");
  }
  if (!isJsonObject(value)) return refuse(null, INVALID_REQUEST, "A message must be a JSON object.");
  const { id, method } = value;
  const known = isId(id) ? id : null;
  try {
    cleanJson(value);
  } catch (thrown) {
    return refuse(known, INVALID_REQUEST, toHostError(thrown).message);
  }
  if (typeof method !== "string") return answerOf(value, known);
  return requestOf(method, { id, params: value["params"] });
}

function requestOf(
  method: string,
  { id, params = {} }: { readonly id: unknown; readonly params: unknown },
): Incoming {
  if (id !== undefined && !isId(id)) {
    return refuse(null, INVALID_REQUEST, "The id must be a string, or a number that JSON carries exactly.");
  }
  const given = params ?? {};
  if (!isJsonObject(given)) {
    const message = `The params of ${method.slice(0, SHOWN)} must be an object, with the parameters by name.`;
    return id === undefined ? { kind: "nothing" } : refuse(id, INVALID_PARAMS, message);
  }
  return id === undefined
    ? { kind: "notification", method, params: given }
    : { kind: "request", id, method, params: given };
}

function answerOf({ result, error }: Readonly<Record<string, unknown>>, id: RequestId): Incoming {
  if (result === undefined && error === undefined) {
    return refuse(id, INVALID_REQUEST, "A request must have a method, which is a string.");
  }
  if (typeof id !== "string") return { kind: "nothing" };
  if (error === undefined || error === null) return { kind: "answer", id, answer: { result } };
  const code = isJsonObject(error) && typeof error["code"] === "number" ? error["code"] : 0;
  return { kind: "answer", id, answer: { error: { code } } };
}

/** Characters of what a client sent that an error shows. */
const SHOWN = 80;

/** Programs of some systems begin a text with a byte order mark. */
const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

/** An id that comes back as it was sent: JSON numbers beyond 2^53 would not. */
const isId = (id: unknown): id is RequestId =>
  id === null ||
  typeof id === "string" ||
  (typeof id === "number" && Number.isFinite(id) && (Number.isSafeInteger(id) || !Number.isInteger(id)));

const refuse = (id: RequestId, code: number, message: string): Incoming => ({
  kind: "refused",
  id,
  error: { code, message },
});
