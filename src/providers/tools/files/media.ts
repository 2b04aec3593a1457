import type { FileHandle } from "node:fs/promises";
import { imageTypeOf } from "../../../shared/content/image-header.ts";

const SNIFFED = 8192;

/** Judges the kind of a file by its first bytes. */
export async function mediaOf(handle: FileHandle): Promise<"image" | "binary" | "text"> {
  const buffer = Buffer.alloc(SNIFFED);
  const { bytesRead } = await handle.read(buffer, 0, SNIFFED, 0);
  const bytes = buffer.subarray(0, bytesRead);
  const image = imageTypeOf(bytes);
  // Bitmaps cannot be shown, and text may begin with their two letters.
  if (image !== undefined && image !== "image/bmp") return "image";
  return bytes.includes(0) ? "binary" : "text";
}
