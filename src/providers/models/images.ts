import type { BlobRef, ImagePart, ToolContent, UserPart } from "../../core/content.ts";
import type { ModelMessage } from "../../core/conversation.ts";
import { HostError } from "../../core/errors.ts";
import type { Shown } from "./dialect.ts";

/** The images of a message that its encoding will ask for. */
export function imagesIn(message: ModelMessage): readonly ImagePart[] {
  const parts: readonly (UserPart | ToolContent)[] =
    message.role === "user"
      ? message.parts
      : message.role === "tool"
        ? message.results.flatMap(({ content }) => content)
        : [];
  return parts.filter((part) => part.type === "image");
}

/** What all endpoints take that take images. */
const FORMATS = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const SHORT_NAMES: Readonly<Record<string, string>> = { "image/jpg": "image/jpeg" };

const formatOf = (mediaType: string): string => SHORT_NAMES[mediaType] ?? mediaType;

/** Loads images and gives what stands for each of them in a request. */
export async function loadImages(
  images: readonly ImagePart[],
  loadBlob: (blob: BlobRef) => Promise<Uint8Array>,
): Promise<(image: ImagePart) => Shown> {
  const shown = new Map<string, Shown>();
  for (const image of images) {
    const key = keyOf(image);
    if (!shown.has(key)) shown.set(key, await load(image, () => loadBlob(image.blob)));
  }
  return (image) => shown.get(keyOf(image)) ?? GONE;
}

/** The words for an image that its reader would not see. */
export const blindTo =
  (reader: string): ((image: ImagePart) => Shown) =>
  (image) => ({ note: notShown(image, `${reader} cannot look at images`) });

const keyOf = ({ blob, mediaType }: ImagePart): string => `${blob.hash} ${mediaType}`;

const GONE: Shown = { note: "[An image was here; it is no longer stored.]" };

async function load(image: ImagePart, read: () => Promise<Uint8Array>): Promise<Shown> {
  const mediaType = formatOf(image.mediaType);
  if (!FORMATS.includes(mediaType)) return { note: notShown(image, "models do not take this format") };
  try {
    const bytes = await read();
    return bytes.length === 0 ? GONE : { mediaType, base64: Buffer.from(bytes).toString("base64") };
  } catch (thrown) {
    // A picture that is lost must not end the conversation about it.
    if (thrown instanceof HostError && thrown.code === "blob_not_found") return GONE;
    throw thrown;
  }
}

function notShown({ name, mediaType, blob }: ImagePart, why: string): string {
  const what = name === undefined ? mediaType : `${name}, ${mediaType}`;
  return `[An image (${what}, ${blob.size} bytes) is not shown: ${why}.]`;
}
