import type { HttpContext } from "./context.ts";
import { askForBody } from "./continue-when-read.ts";
import { HttpError } from "./http-error.ts";

/** The texts of a server for bodies that it refuses. */
export interface BodyMessages {
  readonly encoded: string;
  readonly invalidLength: string;
  readonly tooLarge: string;
  readonly brokenOff: string;
}

/** Reads a request's body as a whole. @throws HttpError 400, 413, 415 */
export async function readRequestBody(
  c: HttpContext,
  maxBytes: number,
  messages: BodyMessages,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of requestBody(c, maxBytes, messages)) pieces.push(piece);
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
}

/**
 * Reads a request's body as it arrives. A body that is too large is refused before it is read; one whose size is not
 * declared, as soon as it grows over the limit. A compressed body is refused, because its size shows only when it is
 * unpacked.
 *
 * @throws HttpError 400, 413, 415
 */
export async function* requestBody(
  c: HttpContext,
  maxBytes: number,
  messages: BodyMessages,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoding = c.req.header("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity")
    throw new HttpError(415, messages.encoded, {
      code: "unsupported_content_encoding",
      param: "Content-Encoding",
    });
  const declared = c.req.header("content-length");
  if (declared !== undefined && !/^\d+$/.test(declared))
    throw new HttpError(400, messages.invalidLength, { code: "invalid_content_length" });
  const tooLarge = (): HttpError => new HttpError(413, messages.tooLarge, { code: "body_too_large" });
  if (Number(declared ?? 0) > maxBytes) throw tooLarge();
  let size = 0;
  try {
    for await (const piece of bodyPieces(c)) {
      size += piece.byteLength;
      if (size > maxBytes) throw tooLarge();
      yield piece;
    }
  } catch (thrown) {
    if (thrown instanceof HttpError) throw thrown;
    throw new HttpError(400, messages.brokenOff, { cause: thrown });
  }
}

/**
 * Reads the body from the connection itself, because a `Request` keeps the bytes that were read as long as it lives.
 * The connection stays open when the reader stops early: the reader still has to answer.
 */
function bodyPieces(c: HttpContext): AsyncIterable<Uint8Array> {
  const { incoming, outgoing } = c.env ?? {};
  if (outgoing !== undefined) askForBody(outgoing);
  return incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body ?? NOTHING;
}

const NOTHING: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {
    // There are no pieces.
  },
};
