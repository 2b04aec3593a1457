import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import { beforeSending } from "../port/answers.ts";
import type { IncomingFile } from "../port/incoming.ts";
import type { OutgoingFile, OutgoingMessage } from "../port/outgoing.ts";
import type { SlackApi } from "./api.ts";

/** Sends a file in Slack's three steps; nothing is seen before the last: https://docs.slack.dev/messaging/working-with-files */
export async function sendFile(
  api: SlackApi,
  { place, text, file }: OutgoingMessage & { readonly file: OutgoingFile },
  signal: AbortSignal,
): Promise<string> {
  const { name, bytes } = file;
  const got = await beforeSending(
    api.call("files.getUploadURLExternal", { filename: name, length: bytes.length }, { signal }),
  );
  const { upload_url: url, file_id: id } = got;
  if (typeof url !== "string" || typeof id !== "string")
    throw new HostError("delivery_failed", "slack: files.getUploadURLExternal named no address.");
  await beforeSending(api.upload(url, bytes, signal));
  await api.call(
    "files.completeUploadExternal",
    {
      files: [{ id, title: name }],
      channel_id: place.chatId,
      ...defined({ thread_ts: place.threadId, initial_comment: text === "" ? undefined : text }),
    },
    { signal },
  );
  return await messageOf(api, { id, channel: place.chatId }, signal);
}

/** The message that a file is in, where Slack can tell already; else the file's own id. */
async function messageOf(
  api: SlackApi,
  { id, channel }: { readonly id: string; readonly channel: string },
  signal: AbortSignal,
): Promise<string> {
  const info = await api.call("files.info", { file: id }, { signal }).catch(() => ({ file: undefined }));
  const shares = isJsonObject(info.file) ? info.file["shares"] : undefined;
  for (const kind of isJsonObject(shares) ? Object.values(shares) : []) {
    const shared: unknown = isJsonObject(kind) ? kind[channel] : undefined;
    const first: unknown = Array.isArray(shared) ? shared[0] : undefined;
    if (isJsonObject(first) && typeof first["ts"] === "string") return first["ts"];
  }
  return id;
}

/** Gets the bytes of a file; where its message did not say its address, Slack is asked. */
export async function downloadFile(
  api: SlackApi,
  { ref, mediaType }: IncomingFile,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const known = parseForeignJson(ref);
  const { id, url } = isJsonObject(known) ? known : {};
  const address = typeof url === "string" ? url : await addressOf(api, id, signal);
  return await api.file(address, { mediaType, maxBytes, signal });
}

/** @throws HostError `not_found` */
async function addressOf(api: SlackApi, id: unknown, signal: AbortSignal): Promise<string> {
  const { file } = await api.call("files.info", { file: id }, { signal });
  const url = isJsonObject(file) ? (file["url_private_download"] ?? file["url_private"]) : undefined;
  if (typeof url === "string") return url;
  throw new HostError("not_found", "slack: the file is not there any more.");
}
