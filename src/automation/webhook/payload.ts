import { createHash } from "node:crypto";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import type { RandomHex } from "../../shared/crypto/random-hex.ts";
import type { HeaderReader } from "./authentication.ts";

const EVENT_HEADERS = ["x-hosta-event", "x-github-event", "x-hostb-event", "x-gitlab-event"] as const;
const ID_HEADERS = [
  "x-hosta-delivery",
  "x-github-delivery",
  "linear-delivery",
  "svix-id",
  "webhook-id",
  "idempotency-key",
  "x-hostb-event-uuid",
  "x-gitlab-event-uuid",
  "x-request-id",
] as const;
/** Senders whose ids stand in the body: the header by which they are known, and the key. */
const ID_KEYS = [
  ["stripe-signature", "id"],
  ["x-slack-signature", "event_id"],
] as const;
const LONGEST_ID = 160;
const LONGEST_EVENT = 200;

/** The event's type, from its header or the payload; `unknown` when nothing says it. */
export function eventType(header: HeaderReader, payload: unknown): string {
  for (const name of EVENT_HEADERS) {
    const value = header(name);
    if (value !== undefined && value !== "") return value.slice(0, LONGEST_EVENT);
  }
  const named = textAt(payload, "event_type") ?? textAt(payload, "type");
  return named?.slice(0, LONGEST_EVENT) ?? "unknown";
}

/** A text of an object that is not empty. */
function textAt(payload: unknown, key: string): string | undefined {
  const value = isJsonObject(payload) && Object.hasOwn(payload, key) ? payload[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The text that a sender wants back before it sends events to an address. */
export const challengeOf = (header: HeaderReader, payload: unknown): string | undefined =>
  header("x-slack-signature") !== undefined && textAt(payload, "type") === "url_verification"
    ? textAt(payload, "challenge")
    : undefined;

/** A host's test of the connection. */
export const isPing = (header: HeaderReader): boolean =>
  (header("x-hosta-event") ?? header("x-github-event")) === "ping";

/**
 * The id by which a sender knows a delivery; a random one when it gives none. One that could not be a part of an id
 * here stands in as its hash.
 */
export function deliveryId(header: HeaderReader, payload: unknown, hex: RandomHex): string {
  const inBody = ID_KEYS.flatMap(([name, key]) =>
    header(name) === undefined ? [] : [textAt(payload, key) ?? ""],
  );
  for (const given of [...inBody, ...ID_HEADERS.map(header)]) {
    const value = given?.trim();
    if (value === undefined || value === "") continue;
    const plain = value.length <= LONGEST_ID && /^[\w.:@=+-]+$/.test(value) && !value.includes("..");
    return plain ? value : createHash("sha256").update(value, "latin1").digest("hex");
  }
  return hex(16);
}

/**
 * Reads a body: JSON, or the fields of a form, of which `payload` may hold the JSON. What begins like JSON is read so
 * whatever its type says: command-line clients call everything a form.
 *
 * @throws HostError `invalid_params` when it is neither
 */
export function parsePayload(body: Uint8Array, contentType: string): unknown {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  const isForm = contentType.toLowerCase().startsWith("application/x-www-form-urlencoded");
  if (!isForm || /^\s*[{[]/.test(text)) return parseForeignJson(text);
  const fields = [...new URLSearchParams(text)].filter(([name]) => name !== "__proto__");
  const form = Object.fromEntries(fields);
  const inner = form["payload"];
  return fields.length === 1 && inner !== undefined ? parseForeignJson(inner) : form;
}

/** Reads the question of a caller of the built-in route; `undefined` if the payload has none. */
export function questionOf(payload: unknown): string | undefined {
  if (!isJsonObject(payload)) return undefined;
  for (const key of ["message", "prompt", "text", "chatInput"]) {
    const value = Object.hasOwn(payload, key) ? payload[key] : undefined;
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/**
 * Where the caller wants the answer sent. @returns `false` when it is no absolute http(s) address without credentials
 */
export function callbackOf(payload: unknown): string | undefined | false {
  if (!isJsonObject(payload) || !Object.hasOwn(payload, "callback_url")) return undefined;
  const value = payload["callback_url"];
  if (value === null) return undefined;
  if (typeof value !== "string" || !/^https?:\/\//i.test(value)) return false;
  const url = URL.parse(value);
  const usable = url !== null && url.hostname !== "" && url.username === "" && url.password === "";
  return usable ? url.href : false;
}
