import { isJsonObject, parseForeignJson } from "../../core/index.ts";
import { checkJson } from "./check-json.ts";
import type { ApiContext } from "./context.ts";
import { Refusal } from "./refusal.ts";

export interface BodyLimits {
  readonly maxBodyBytes: number;
}

/**
 * Reads a request's body as a JSON object; a body that is too large is refused before it is read.
 *
 * @param empty - what no body at all means; refused by default
 * @throws Refusal 400, 413
 */
export async function readJsonObject(
  c: ApiContext,
  limits: BodyLimits,
  empty?: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const text = decodeUtf8(await readBytes(c, limits));
  if (text.trim() === "") {
    if (empty !== undefined) return empty;
    throw new Refusal(400, "Invalid JSON in request body: it is empty.");
  }
  const value = parse(text);
  if (isJsonObject(value)) return value;
  throw new Refusal(400, "Invalid JSON in request body: it must be an object.");
}

async function readBytes(c: ApiContext, { maxBodyBytes }: BodyLimits): Promise<Uint8Array> {
  const declared = c.req.header("content-length");
  if (declared !== undefined) {
    if (!/^\d+$/.test(declared))
      throw new Refusal(400, "Content-Length must be a number.", { code: "invalid_content_length" });
    if (Number(declared) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    try {
      return new Uint8Array(await c.req.arrayBuffer());
    } catch (cause) {
      throw new Refusal(400, "The request body broke off.", { cause });
    }
  }
  return await readChunked(c.req.raw.body, maxBodyBytes);
}

async function readChunked(
  body: ReadableStream<Uint8Array> | null,
  maxBodyBytes: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (body === null) return new Uint8Array();
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > maxBodyBytes) throw tooLarge(maxBodyBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const tooLarge = (maxBodyBytes: number): Refusal =>
  new Refusal(413, `The request body is larger than ${maxBodyBytes} bytes. Send images by address instead.`, {
    code: "body_too_large",
    // What is left of the body is not read: the connection cannot be used again.
    headers: { connection: "close" },
  });

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new Refusal(400, "Invalid JSON in request body: it is not UTF-8.", { cause });
  }
}

function parse(text: string): unknown {
  checkJson(text);
  try {
    return parseForeignJson(text);
  } catch (cause) {
    throw new Refusal(400, "Invalid JSON in request body", { cause });
  }
}
