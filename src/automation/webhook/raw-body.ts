import { bodyPieces } from "../../http/server/body.ts";
import type { HttpContext } from "../../http/server/context.ts";
import { Rejected } from "./rejected.ts";

/**
 * Reads a body as it came. A body that is too large is refused before it is read, one whose size is not told as soon as
 * it grows over the limit; a packed one is refused, because nobody knows how large it is.
 *
 * @throws Rejected 400, 413, 415
 */
export async function readRawBody(c: HttpContext, maxBytes: number): Promise<Uint8Array> {
  const encoding = c.req.header("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity")
    throw new Rejected(415, "Send the body unpacked: Content-Encoding is not taken");
  const declared = c.req.header("content-length");
  if (declared !== undefined && !/^\d+$/.test(declared))
    throw new Rejected(400, "Content-Length must be a number");
  if (Number(declared ?? 0) > maxBytes) throw tooLarge();
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of bodyPieces(c)) {
      size += piece.byteLength;
      if (size > maxBytes) throw tooLarge();
      pieces.push(piece);
    }
  } catch (thrown) {
    if (thrown instanceof Rejected) throw thrown;
    throw new Rejected(400, "Bad request", { cause: thrown });
  }
  return Buffer.concat(pieces);
}

const tooLarge = (): Rejected => new Rejected(413, "Payload too large");
