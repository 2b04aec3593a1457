import type { FileHandle } from "node:fs/promises";

/** What the beginning of a file says it is. */
export type Media =
  | { readonly kind: "image"; readonly mediaType: string }
  | { readonly kind: "binary" }
  | { readonly kind: "text" };

const SNIFFED = 8192;

const IMAGES: readonly (readonly [mediaType: string, isIt: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex"))],
  ["image/jpeg", (bytes) => bytes.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex"))],
  ["image/gif", (bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))],
  ["image/webp", (bytes) => /^RIFF[^]{4}WEBP/.test(bytes.toString("latin1", 0, 12))],
];

export async function mediaOf(handle: FileHandle): Promise<Media> {
  const buffer = Buffer.alloc(SNIFFED);
  const { bytesRead } = await handle.read(buffer, 0, SNIFFED, 0);
  const bytes = buffer.subarray(0, bytesRead);
  const image = IMAGES.find(([, isIt]) => isIt(bytes));
  if (image !== undefined) return { kind: "image", mediaType: image[0] };
  return { kind: bytes.includes(0) ? "binary" : "text" };
}
