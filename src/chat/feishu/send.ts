import { toHostError } from "../../shared/errors/host-error.ts";
import type { MessageEdit, OutgoingMessage } from "../port/outgoing.ts";
import type { ChatPlace } from "../port/place.ts";
import { pathOf } from "../port/request-path.ts";
import type { FeishuApi } from "./api.ts";
import { cardOf } from "./cards.ts";
import { type FeishuMessageBody, uploadedFile } from "./files.ts";

/** Posts a message, or a file below its text; gives its id. */
export async function sendCard(
  api: FeishuApi,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<string> {
  const { place, once, text, file } = message;
  const post = (body: FeishuMessageBody, uuid: string): Promise<string> =>
    postMessage(api, { place, body: { ...body, uuid: uuid.slice(0, LONGEST_UUID) } }, signal);
  const postCard = (uuid: string): Promise<string> =>
    orPlain((isPlain) => post({ msg_type: "interactive", content: cardOf({ ...message, isPlain }) }, uuid));
  if (file === undefined) return await postCard(once);
  const body = await uploadedFile(api, file, signal);
  if (text !== "") await postCard(`${once}-text`);
  return await post(body, once);
}

const LONGEST_UUID = 50;

/** Changes a card: https://open.feishu.cn/document/server-docs/im-v1/message-card/patch */
export async function patchCard(api: FeishuApi, edit: MessageEdit, signal: AbortSignal): Promise<void> {
  const path = `/im/v1${pathOf("messages", edit.messageId)}`;
  await orPlain((isPlain) =>
    api.call(path, { method: "PATCH", body: { content: cardOf({ ...edit, isPlain }) }, signal }),
  );
}

/** Whatever Feishu does not like about the Markdown, the words are told. */
async function orPlain<T>(work: (isPlain: boolean) => Promise<T>): Promise<T> {
  try {
    return await work(false);
  } catch (thrown) {
    if (toHostError(thrown).code !== "invalid_params") throw thrown;
    return await work(true);
  }
}

/**
 * https://open.feishu.cn/document/server-docs/im-v1/message/create, and `reply`, which takes a message into the thread below
 * another one. With the same `uuid` it is there once within an hour.
 */
async function postMessage(
  api: FeishuApi,
  { place, body }: { readonly place: ChatPlace; readonly body: object },
  signal: AbortSignal,
): Promise<string> {
  const { chatId, threadId } = place;
  const { message_id: id } =
    threadId === undefined
      ? await api.call(`/im/v1/messages?receive_id_type=${idType(chatId)}`, {
          body: { receive_id: chatId, ...body },
          signal,
        })
      : await api.call(`/im/v1${pathOf("messages", threadId, "reply")}`, {
          body: { ...body, reply_in_thread: true },
          signal,
        });
  return typeof id === "string" ? id : "";
}

/** What an id is of, as its beginning says. */
function idType(id: string): string {
  if (id.startsWith("ou_")) return "open_id";
  if (id.startsWith("on_")) return "union_id";
  if (id.includes("@")) return "email";
  return id.startsWith("oc_") ? "chat_id" : "user_id";
}
