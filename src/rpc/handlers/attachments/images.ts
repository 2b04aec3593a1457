import { type ImageSize, imageTypeOf } from "../../../shared/content/image-header.ts";

/** Bytes of an image that a client may send. */
export const LARGEST_ATTACHED_IMAGE = 25 * 1024 * 1024;

const DATA_URL = /^data:(image\/[\w.+-]+)?(?:;[\w=.-]+)*;base64,/i;

/** The image in a `data:` URL; `undefined` when it is none. */
export function decodeDataUrl(
  url: string,
): { readonly bytes: Uint8Array; readonly mediaType: string } | undefined {
  const head = DATA_URL.exec(url);
  if (head === null) return undefined;
  const bytes = decodeBase64(url.slice(head[0].length));
  const mediaType = bytes && (head[1] ?? imageTypeOf(bytes));
  return bytes === undefined || mediaType === undefined ? undefined : { bytes, mediaType };
}

/** Bytes of base64 text, which must be nothing else; line breaks are left out. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const clean = text.replaceAll(/\s+/g, "");
  if (clean === "" || clean.length % 4 === 1 || !/^[\w+/-]*={0,2}$/.test(clean)) return undefined;
  return Buffer.from(clean, "base64");
}

const TILE = 512;
const TOKENS_PER_TILE = 85;

/** About how many tokens a model counts for an image: so many for each tile that it begins. */
export const imageTokens = ({ width, height }: ImageSize): number =>
  TOKENS_PER_TILE * Math.ceil(width / TILE) * Math.ceil(height / TILE);
