import { cleanJson, isJsonObject } from "../../shared/json/json.ts";
import { readRequestBody } from "./body.ts";
import { checkJson } from "./check-json.ts";
import type { HttpContext } from "./context.ts";
import { HttpError } from "./http-error.ts";

/** The size that a body may have. */
export interface BodyLimit {
  readonly maxBodyBytes: number;
  /** The sentence for who sends a larger one; that of the API by default. */
  readonly tooLarge?: string;
}

/** The body of a request: a JSON object, not checked yet. */
export type JsonBody = Readonly<Record<string, unknown>>;

/**
 * Reads a request's body as a JSON object.
 *
 * @param empty - the value of an empty body; refused by default
 * @throws HttpError 400, 413, 415
 */
export async function readJsonObject(c: HttpContext, limit: BodyLimit, empty?: JsonBody): Promise<JsonBody> {
  const { maxBodyBytes } = limit;
  const bytes = await readRequestBody(c, maxBodyBytes, {
    encoded: "Send the body unpacked: Content-Encoding is not taken.",
    invalidLength: "Content-Length must be a number.",
    tooLarge:
      limit.tooLarge ??
      `The request body is larger than ${maxBodyBytes} bytes. Send images by address instead.`,
    brokenOff: "The request body broke off.",
  });
  const text = decodeUtf8(bytes);
  if (text.trim() === "") {
    if (empty !== undefined) return empty;
    throw new HttpError(400, "Invalid JSON in request body: it is empty.");
  }
  const value = parse(text);
  if (isJsonObject(value)) return value;
  throw new HttpError(400, "Invalid JSON in request body: it must be an object.");
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new HttpError(400, "Invalid JSON in request body: it is not UTF-8.", { cause });
  }
}

function parse(text: string): unknown {
  const { hasProto } = checkJson(text);
  try {
    const value: unknown = JSON.parse(text);
    // A second walk over every value takes as long as everything else: it is done only when it is needed.
    return hasProto ? cleanJson(value) : value;
  } catch (cause) {
    throw new HttpError(400, "Invalid JSON in request body", { cause });
  }
}
