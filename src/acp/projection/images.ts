import type { Store } from "../../core/index.ts";
import { type Images, NO_IMAGES } from "./content-blocks.ts";
import type { ConversationUpdate } from "./conversation-update.ts";

/** The hashes of an update's images. Most updates have none, and need not wait for the store. */
export function imageHashes(update: ConversationUpdate): readonly string[] {
  const parts = "parts" in update ? update.parts : "content" in update ? update.content : [];
  return parts.flatMap((part) => (part.type === "image" ? [part.blob.hash] : []));
}

/** Loads images from the store; an image that is gone is left out, and its block says so. */
export async function imagesInBase64(
  hashes: readonly string[],
  store: Pick<Store, "getBlob">,
): Promise<Images> {
  if (hashes.length === 0) return NO_IMAGES;
  const images = new Map<string, string>();
  for (const hash of hashes) {
    try {
      images.set(hash, Buffer.from(await store.getBlob(hash)).toString("base64"));
    } catch {
      // The block says that the image is gone.
    }
  }
  return images;
}
