import type { OutgoingMessage } from "../port/outgoing.ts";
import type { MattermostApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import { beforeSending, textIn } from "../port/answers.ts";
import { buttonProps, type ButtonAddress } from "./buttons.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { ONCE_PROP, postsIn } from "./post.ts";

/**
 * Posts a message; gives its id. `pending_post_id` makes the server take it once for 30 seconds; the property of the post
 * tells it later: https://developers.mattermost.com/api-documentation/#/operations/CreatePost
 */
export async function createPost(
  api: MattermostApi,
  { message, address }: { readonly message: OutgoingMessage; readonly address: ButtonAddress | undefined },
  signal: AbortSignal,
): Promise<string> {
  const { place, text, once, buttons = [], file } = message;
  const { chatId, threadId } = place;
  const fileIds = file === undefined ? [] : [await beforeSending(uploadFile(api, { file, chatId }, signal))];
  const body = {
    channel_id: chatId,
    message: text,
    pending_post_id: once,
    props: { [ONCE_PROP]: once, ...(address === undefined ? {} : buttonProps(buttons, address)) },
    ...(threadId === undefined ? {} : { root_id: threadId }),
    ...(fileIds.length === 0 ? {} : { file_ids: fileIds }),
  };
  const post = await api.call("/posts", { method: "POST", body, signal });
  return isJsonObject(post) && typeof post["id"] === "string" ? post["id"] : "";
}

/** https://developers.mattermost.com/api-documentation/#/operations/UploadFile */
async function uploadFile(
  api: MattermostApi,
  { file, chatId }: { readonly file: NonNullable<OutgoingMessage["file"]>; readonly chatId: string },
  signal: AbortSignal,
): Promise<string> {
  const query = new URLSearchParams({ channel_id: chatId, filename: file.name });
  const sent = await api.call(`/files?${query.toString()}`, { method: "POST", body: file.bytes, signal });
  const infos: unknown = isJsonObject(sent) ? sent["file_infos"] : undefined;
  return textIn("mattermost", Array.isArray(infos) ? infos[0] : undefined, "id");
}

const PAGE = 200;
const MOST_PAGES = 5;

/** Looks for a message among the newest thousand of its channel. */
export async function findPost(
  api: MattermostApi,
  { place, once }: OutgoingMessage,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = pathOf("channels", place.chatId, "posts");
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const posts = postsIn(await api.call(`${path}?page=${page}&per_page=${PAGE}`, { signal }));
    const found = posts.find(({ props }) => props?.[ONCE_PROP] === once);
    if (found !== undefined) return found.id;
    if (posts.length < PAGE) return undefined;
  }
  return undefined;
}
