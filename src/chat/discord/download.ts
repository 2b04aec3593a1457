import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { IncomingFile } from "../port/incoming.ts";
import type { DiscordApi } from "./api.ts";
import type { FileRef } from "./event.ts";
import { MessageWire } from "./wire.ts";

/** Gets a file. Its address holds for a day; after that its message is asked for a new one. */
export async function download(
  api: DiscordApi,
  { ref }: IncomingFile,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  // Only `event.ts` writes it.
  const { url, channelId, messageId, id } = JSON.parse(ref) as FileRef;
  try {
    return await api.file(url, maxBytes, signal);
  } catch (thrown) {
    const { code } = toHostError(thrown);
    if (code !== "not_found" && code !== "invalid_params") throw thrown;
  }
  const path = `/channels/${channelId}/messages/${messageId}`;
  const { data: message } = MessageWire.safeParse(await api.call("GET", { path, signal }));
  const renewed = message?.attachments.find((each) => each.id === id)?.url;
  if (renewed === undefined) throw new HostError("not_found", "discord: the file is not there any more.");
  return await api.file(renewed, maxBytes, signal);
}
