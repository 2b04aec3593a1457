import { cleanJson, isJsonObject } from "../../shared/json/json.ts";
import { bodyPieces } from "./body.ts";
import { checkJson } from "./check-json.ts";
import type { HttpContext } from "./context.ts";
import { HttpError } from "./http-error.ts";

export interface BodyLimits {
  readonly maxBodyBytes: number;
}

/**
 * Reads a request's body as a JSON object; a body that is too large is refused before it is read.
 *
 * @param empty - what no body at all means; refused by default
 * @throws HttpError 400, 413
 */
export async function readJsonObject(
  c: HttpContext,
  limits: BodyLimits,
  empty?: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  checkUnpacked(c);
  const text = decodeUtf8(await readBytes(c, limits));
  if (text.trim() === "") {
    if (empty !== undefined) return empty;
    throw new HttpError(400, "Invalid JSON in request body: it is empty.");
  }
  const value = parse(text);
  if (isJsonObject(value)) return value;
  throw new HttpError(400, "Invalid JSON in request body: it must be an object.");
}

/** How large a packed body is shows only when it is unpacked. */
function checkUnpacked(c: HttpContext): void {
  const encoding = c.req.header("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return;
  throw new HttpError(415, "Send the body unpacked: Content-Encoding is not taken.", {
    code: "unsupported_content_encoding",
    param: "Content-Encoding",
  });
}

async function readBytes(c: HttpContext, { maxBodyBytes }: BodyLimits): Promise<Uint8Array> {
  const declared = c.req.header("content-length");
  if (declared !== undefined && !/^\d+$/.test(declared))
    throw new HttpError(400, "Content-Length must be a number.", { code: "invalid_content_length" });
  if (Number(declared ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of bodyPieces(c)) {
      size += piece.byteLength;
      if (size > maxBodyBytes) throw tooLarge(maxBodyBytes);
      pieces.push(piece);
    }
  } catch (thrown) {
    if (thrown instanceof HttpError) throw thrown;
    throw new HttpError(400, "The request body broke off.", { cause: thrown });
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
}

const tooLarge = (maxBodyBytes: number): HttpError =>
  new HttpError(
    413,
    `The request body is larger than ${maxBodyBytes} bytes. Send images by address instead.`,
    {
      code: "body_too_large",
    },
  );

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
    // To look at every value again takes as long as all else.
    return hasProto ? cleanJson(value) : value;
  } catch (cause) {
    throw new HttpError(400, "Invalid JSON in request body", { cause });
  }
}
