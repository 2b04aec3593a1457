import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { HostError } from "../../shared/errors/host-error.ts";

/**
 * Reads a body whole, unpacked.
 *
 * @param maxBytes - of what comes out, whatever comes in
 * @throws HostError `fetch_failed` when it is larger, or packed in an unknown way
 */
export async function readBody(
  body: Readable,
  limits: { readonly encoding: string; readonly maxBytes: number; readonly shown: string },
): Promise<Uint8Array> {
  const { encoding, maxBytes, shown } = limits;
  const pieces: Buffer[] = [];
  let size = 0;
  const unpacked = unpack(body, encoding, shown);
  try {
    // Bodies and what unpacks them give buffers as long as no encoding is set.
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      size += piece.byteLength;
      if (size > maxBytes) throw tooLarge(shown, maxBytes);
      pieces.push(piece);
    }
  } finally {
    body.destroy();
    unpacked.destroy();
  }
  return Buffer.concat(pieces);
}

export const tooLarge = (shown: string, maxBytes: number): HostError =>
  new HostError("fetch_failed", `${shown} is larger than ${maxBytes} bytes.`, {
    details: { subject: shown },
  });

const UNPACKERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function unpack(body: Readable, encoding: string, shown: string): Readable {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return body;
  const unpacker = UNPACKERS[name]?.();
  if (unpacker === undefined)
    throw new HostError(
      "fetch_failed",
      `${shown} is packed as ${JSON.stringify(name)}, which is not known here.`,
    );
  body.on("error", (error) => unpacker.destroy(error));
  return body.pipe(unpacker);
}
