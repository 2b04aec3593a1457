import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { afterSending, beforeSending } from "../port/answers.ts";
import type { OutgoingFile, OutgoingMessage } from "../port/outgoing.ts";
import type { DingtalkApi } from "./api.ts";
import type { Sessions } from "./sessions.ts";

/** Groups have ids that begin so; all others are people's. */
export const isGroup = (chatId: string): boolean => chatId.startsWith("cid");

/** People of other organisations are written to at the address that came with their message only. */
export const isOutsider = (chatId: string): boolean => chatId.startsWith("$:");

/** Posts a message, or a file below its text; gives its id. */
export async function sendByRobot(
  { api, sessions }: { readonly api: DingtalkApi; readonly sessions: Sessions },
  { place: { chatId }, text, file, once }: OutgoingMessage,
  signal: AbortSignal,
): Promise<string> {
  if (isOutsider(chatId)) {
    await replyTo({ api, url: await sessions.of(chatId) }, { text, ...defined({ file }) }, signal);
    // The answer names no message, and none of them can be changed.
    return once;
  }
  if (file === undefined) return await post(api, { chatId, ...markdown(text) }, signal);
  const message = await fileMessage(api, file, signal);
  if (text === "") return await post(api, { chatId, ...message }, signal);
  await post(api, { chatId, ...markdown(text) }, signal);
  return await afterSending(post(api, { chatId, ...message }, signal));
}

async function replyTo(
  { api, url }: { readonly api: DingtalkApi; readonly url: string | undefined },
  { text, file }: { readonly text: string; readonly file?: OutgoingFile },
  signal: AbortSignal,
): Promise<void> {
  if (url === undefined)
    throw new HostError(
      "not_found",
      "dingtalk: people of other organisations can only be answered for an hour or two after they wrote.",
    );
  if (file !== undefined)
    throw new HostError("invalid_params", "dingtalk: people of other organisations cannot be sent files.");
  const { title, text: shown } = markdownOf(text);
  await api.reply(url, { body: { msgtype: "markdown", markdown: { title, text: shown } }, signal });
}

interface RobotMessage {
  readonly chatId: string;
  readonly msgKey: string;
  readonly msgParam: Readonly<Record<string, string>>;
}

/**
 * https://open.dingtalk.com/document/orgapp/the-robot-sends-a-group-message and
 * https://open.dingtalk.com/document/orgapp/chatbots-send-one-on-one-chat-messages-in-batches
 */
async function post(
  api: DingtalkApi,
  { chatId, msgKey, msgParam }: RobotMessage,
  signal: AbortSignal,
): Promise<string> {
  const common = { robotCode: api.robotCode, msgKey, msgParam: JSON.stringify(msgParam) };
  const sent = isGroup(chatId)
    ? await api.call("/v1.0/robot/groupMessages/send", {
        body: { ...common, openConversationId: chatId },
        signal,
      })
    : await api.call("/v1.0/robot/oToMessages/batchSend", { body: { ...common, userIds: [chatId] }, signal });
  if (isNamed(sent["invalidStaffIdList"]))
    throw new HostError(
      "not_found",
      "dingtalk: there is no such person, or the robot may not write to them.",
    );
  if (isNamed(sent["flowControlledStaffIdList"]))
    throw new HostError("delivery_failed", "dingtalk: the person gets no more messages for now.", {
      details: { retryAfterMs: CONTROLLED_MS },
    });
  const { processQueryKey: id } = sent;
  return typeof id === "string" ? id : "";
}

const CONTROLLED_MS = 30_000;
const isNamed = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

/** https://open.dingtalk.com/document/orgapp/types-of-messages-sent-by-robots */
const markdown = (text: string) => ({ msgKey: "sampleMarkdown", msgParam: markdownOf(text) });

const LONGEST_TITLE = 30;

/** Without two blanks before it the end of a line counts for nothing. */
export const markdownOf = (text: string): { readonly title: string; readonly text: string } => ({
  title: titleOf(text),
  text: text.replaceAll(/([^\n])\n(?!\n)/g, "$1  \n"),
});

/** What shows in lists of chats. */
function titleOf(text: string): string {
  const line = text.slice(0, 200).split("\n", 1)[0] ?? "";
  const words = line.replaceAll(/[#*`>_~]/g, "").trim();
  return (words || "…").slice(0, LONGEST_TITLE).toWellFormed();
}

const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif"]);

async function fileMessage(
  api: DingtalkApi,
  { name, mediaType, bytes }: OutgoingFile,
  signal: AbortSignal,
): Promise<Omit<RobotMessage, "chatId">> {
  const isPicture = PICTURES.has(mediaType);
  const form = new FormData();
  form.append("media", new Blob([Buffer.from(bytes)], { type: mediaType }), name);
  const id = await beforeSending(api.upload(form, isPicture ? "image" : "file", signal));
  if (isPicture) return { msgKey: "sampleImageMsg", msgParam: { photoURL: id } };
  const fileType = name.includes(".") ? (name.split(".").at(-1) ?? "") : "";
  return { msgKey: "sampleFile", msgParam: { mediaId: id, fileName: name, fileType } };
}
