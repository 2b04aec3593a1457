import { beforeSending, textIn } from "../port/answers.ts";
import type { IncomingFile } from "../port/incoming.ts";
import type { OutgoingFile } from "../port/outgoing.ts";
import { pathOf } from "../port/request-path.ts";
import type { FeishuApi } from "./api.ts";

/** A message as the API takes it. */
export interface FeishuMessageBody {
  readonly msg_type: string;
  /** JSON. */
  readonly content: string;
}

const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const LARGEST_PICTURE = 10_000_000;

/**
 * Uploads a file; gives the message that it is: https://open.feishu.cn/document/server-docs/im-v1/image/create,
 * https://open.feishu.cn/document/server-docs/im-v1/file/create
 */
export async function uploadedFile(
  api: FeishuApi,
  { name, mediaType, bytes }: OutgoingFile,
  signal: AbortSignal,
): Promise<FeishuMessageBody> {
  const isPicture = PICTURES.has(mediaType) && bytes.length <= LARGEST_PICTURE;
  const form = new FormData();
  const blob = new Blob([Buffer.from(bytes)], { type: mediaType });
  if (isPicture) {
    form.append("image_type", "message");
    form.append("image", blob, name);
  } else {
    form.append("file_type", "stream");
    form.append("file_name", name);
    form.append("file", blob, name);
  }
  const key = isPicture ? "image_key" : "file_key";
  const uploaded = await beforeSending(
    api.call(isPicture ? "/im/v1/images" : "/im/v1/files", { body: form, signal }),
  );
  const content = JSON.stringify({ [key]: textIn("feishu", uploaded, key) });
  return { msg_type: isPicture ? "image" : "file", content };
}

/** Gets the bytes of a file in a message: https://open.feishu.cn/document/server-docs/im-v1/message/get-2 */
export async function downloadResource(
  api: FeishuApi,
  { ref }: IncomingFile,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  // It was written when the message came.
  const [messageId, key, kind] = JSON.parse(ref) as readonly [string, string, string];
  const path = `/im/v1${pathOf("messages", messageId, "resources", key)}?type=${encodeURIComponent(kind)}`;
  return await api.bytes(path, maxBytes, signal);
}
