import type { FileHandle } from "node:fs/promises";
import { imageTypeOf } from "../../../shared/content/image-header.ts";

/** The kind of a file, judged by its first bytes. */
export type Media = { readonly kind: "image" } | { readonly kind: "binary" } | { readonly kind: "text" };

const SNIFFED = 8192;

export async function mediaOf(handle: FileHandle): Promise<Media> {
  const buffer = Buffer.alloc(SNIFFED);
  const { bytesRead } = await handle.read(buffer, 0, SNIFFED, 0);
  const bytes = buffer.subarray(0, bytesRead);
  const image = imageTypeOf(bytes);
  // Bitmaps cannot be shown, and text may begin with their two letters.
  if (image !== undefined && image !== "image/bmp") return { kind: "image" };
  return { kind: bytes.includes(0) ? "binary" : "text" };
}
