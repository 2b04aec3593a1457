import type { BlobRef, ImagePart, ModelMessage, ToolContent, UserPart } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { imageSize, imageTypeOf } from "../../../shared/content/image-header.ts";
import type { EncodedImage } from "./content-encoding.ts";
import type { ImageFitter, ImageLimits } from "../../../shared/content/image-fitter.ts";

/** Lists the images of a message that its encoding will ask for. */
export function imagesIn(message: ModelMessage): readonly ImagePart[] {
  return partsOf(message).filter((part) => part.type === "image");
}

function partsOf(message: ModelMessage): readonly (UserPart | ToolContent)[] {
  switch (message.role) {
    case "user":
      return message.parts;
    case "tool":
      return message.results.flatMap(({ content }) => content);
    case "assistant":
      return [];
  }
}

/** The formats that every endpoint with images takes. */
const FORMATS = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** The limits of the strictest endpoint for a request with many images; in base64 they are 5 MB. */
const LIMITS: ImageLimits = { side: 2000, bytes: 3_900_000 };
/** The longest side that endpoints take at all; it counts when nothing can make an image smaller. */
const HARD_SIDE = 8000;

/** Images of one request, and their bytes together: endpoints refuse more, and with it the conversation. */
const MOST_IMAGES = 90;
const MOST_BYTES = 20_000_000;

/** Chooses the images that a request has room for, the newest first. */
export function imagesWithRoom(messages: readonly ModelMessage[]): ReadonlySet<ImagePart> {
  const chosen = new Set<ImagePart>();
  let bytes = 0;
  for (const image of messages.flatMap(imagesIn).toReversed()) {
    bytes += Math.min(image.blob.size, LIMITS.bytes);
    if (chosen.size === MOST_IMAGES || bytes > MOST_BYTES) break;
    chosen.add(image);
  }
  return chosen;
}

/** The means to encode images. */
export interface ImageSources {
  readonly loadBlob: (blob: BlobRef) => Promise<Uint8Array>;
  /** Makes images smaller that are too large; without it they are left out. */
  readonly fitter?: ImageFitter | undefined;
  readonly chosen: ReadonlySet<ImagePart>;
}

/** Loads and encodes images; the result gives the encoding of each. */
export async function encodeImages(
  images: readonly ImagePart[],
  sources: ImageSources,
): Promise<(image: ImagePart) => EncodedImage> {
  const encoded = new Map<string, EncodedImage>();
  for (const image of images.filter((each) => sources.chosen.has(each))) {
    const key = keyOf(image);
    if (!encoded.has(key)) encoded.set(key, await load(image, sources));
  }
  return (image) =>
    sources.chosen.has(image)
      ? (encoded.get(keyOf(image)) ?? GONE)
      : { note: omissionNote(image, "there is room for newer ones only") };
}

/** Gives notes in place of images for a model that cannot look at them. */
export const notesForImages =
  (reader: string): ((image: ImagePart) => EncodedImage) =>
  (image) => ({ note: omissionNote(image, `${reader} cannot look at images`) });

const keyOf = ({ blob, mediaType, name = "" }: ImagePart): string => `${blob.hash} ${mediaType} ${name}`;

const GONE: EncodedImage = { note: "[An image was here; it is no longer stored.]" };

async function load(image: ImagePart, { loadBlob, fitter }: ImageSources): Promise<EncodedImage> {
  try {
    const bytes = await loadBlob(image.blob);
    return bytes.length === 0 ? GONE : await encodeImageBytes(image, bytes, fitter);
  } catch (thrown) {
    // A picture that is lost or cannot be made smaller must not end the conversation about it.
    if (!(thrown instanceof HostError)) throw thrown;
    if (thrown.code === "blob_not_found") return GONE;
    if (thrown.code === "tool_failed") return { note: omissionNote(image, thrown.message) };
    throw thrown;
  }
}

/** Judges an image by its bytes, not by its declared type: an endpoint would refuse the whole conversation. */
async function encodeImageBytes(
  image: ImagePart,
  bytes: Uint8Array,
  fitter: ImageFitter | undefined,
): Promise<EncodedImage> {
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined || !FORMATS.includes(mediaType))
    return { note: omissionNote(image, "models take PNG, JPEG, GIF and WebP only, which it is not") };
  const size = imageSize(bytes);
  if (size === undefined) return { note: omissionNote(image, "it is damaged") };
  const side = Math.max(size.width, size.height);
  const largest = fitter === undefined ? HARD_SIDE : LIMITS.side;
  if (side <= largest && bytes.length <= LIMITS.bytes) return toBase64(mediaType, bytes);
  if (fitter === undefined)
    return { note: omissionNote(image, `with ${size.width} × ${size.height} pixels it is too large`) };
  const fitted = await fitter.fit(bytes, { key: image.blob.hash, limits: LIMITS });
  return toBase64(fitted.mediaType, fitted.bytes);
}

const toBase64 = (mediaType: string, bytes: Uint8Array): EncodedImage => ({
  mediaType,
  base64: Buffer.from(bytes).toString("base64"),
});

function omissionNote({ name, mediaType, blob }: ImagePart, why: string): string {
  const what = name === undefined ? mediaType : `${name}, ${mediaType}`;
  return `[An image (${what}, ${blob.size} bytes) is not shown: ${why}.]`;
}
