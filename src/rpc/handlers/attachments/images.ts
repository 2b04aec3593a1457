import { type DataUrlContent, decodeDataUrl } from "../../../shared/content/data-url.ts";
import { type ImageSize, imageTypeOf } from "../../../shared/content/image-header.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { FilePort, ImageFile } from "../../ports.ts";

/** Bytes of an image that a client may send. */
export const LARGEST_ATTACHED_IMAGE = 25 * 1024 * 1024;

/** Decodes the image in a `data:` URL; `undefined` when it holds none. */
export function imageInUrl(url: string): DataUrlContent | undefined {
  const content = decodeDataUrl(url);
  if (content === undefined || content.mediaType.startsWith("image/")) return content;
  const mediaType = content.mediaType === "" ? imageTypeOf(content.bytes) : undefined;
  return mediaType === undefined ? undefined : { ...content, mediaType };
}

/** The image in a file; `undefined` when it holds something else. */
export async function imageAt(path: string, files: FilePort): Promise<ImageFile | undefined> {
  try {
    return await files.readImage(path);
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.code === "unsupported_content_type") return undefined;
    throw thrown;
  }
}

const TILE = 512;
const TOKENS_PER_TILE = 85;

/** About how many tokens a model counts for an image: so many for each tile that it begins. */
export const imageTokens = ({ width, height }: ImageSize): number =>
  TOKENS_PER_TILE * Math.ceil(width / TILE) * Math.ceil(height / TILE);
