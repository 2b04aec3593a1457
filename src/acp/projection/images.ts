import type { SessionEvent, Store } from "../../core/index.ts";
import type { Images } from "./content-blocks.ts";

const NONE: Images = new Map();

/** The images that an event shows, in base64; one that is not there any more is left out. */
export async function imagesOf(event: SessionEvent, store: Pick<Store, "getBlob">): Promise<Images> {
  const hashes = hashesIn(event);
  if (hashes.length === 0) return NONE;
  const images = new Map<string, string>();
  for (const hash of hashes) {
    try {
      images.set(hash, Buffer.from(await store.getBlob(hash)).toString("base64"));
    } catch {
      // The encoder says so in its place.
    }
  }
  return images;
}

/** Whether an event has images at all: most have none, and need not be waited for. */
export function hashesIn(event: SessionEvent): readonly string[] {
  switch (event.type) {
    case "tool.complete":
      return event.content.flatMap((part) => (part.type === "image" ? [part.blob.hash] : []));
    case "turn.start":
      return event.prompt.parts.flatMap((part) => (part.type === "image" ? [part.blob.hash] : []));
    case "history.given":
      return event.messages.flatMap((message) =>
        message.role === "user"
          ? message.parts.flatMap((part) => (part.type === "image" ? [part.blob.hash] : []))
          : [],
      );
    default:
      return [];
  }
}
