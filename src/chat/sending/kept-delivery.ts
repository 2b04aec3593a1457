import type { HandedFile } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { ChatParts } from "../turns/chat-parts.ts";
import { type LateDelivery, sendDelivery } from "./delivery-sender.ts";
import type { SenderParts } from "./message-sender.ts";

/** A delivery whose file is a blob. */
export interface KeptDelivery extends Omit<LateDelivery, "file"> {
  readonly file?: HandedFile;
}

/** Sends a delivery with the bytes of its file. @throws HostError as `sendDelivery` does */
export async function sendKept(
  parts: SenderParts & Pick<ChatParts, "host">,
  { file: kept, ...delivery }: KeptDelivery,
  signal: AbortSignal,
): Promise<void> {
  const bytes = kept && (await parts.host.services.store.getBlob(kept.blob.hash));
  const file = kept && bytes && { name: kept.name, mediaType: kept.mediaType, bytes };
  await sendDelivery(parts, { ...delivery, ...defined({ file }) }, signal);
}
