import { isJsonObject } from "../../shared/json/json.ts";
import { defined } from "../../shared/json/defined.ts";
import type { MessageEdit, OutgoingFile, OutgoingMessage } from "../port/outgoing.ts";
import type { SignalApi } from "./api.ts";
import type { Revisions } from "./revisions.ts";

/** Sends a message, or a file with the text beside it; gives its time, which is its id. `POST /v2/send` */
export async function sendSignal(
  api: SignalApi,
  { place, text, replyTo, file }: OutgoingMessage,
  signal: AbortSignal,
): Promise<string> {
  const body = {
    ...textTo(api, place.chatId, text),
    ...quoteOf(replyTo),
    ...defined({ base64_attachments: file && [encoded(file)] }),
  };
  return timestampIn(await api.call("/v2/send", { method: "POST", body, signal }));
}

/** Changes a message: the version that shows now is named. */
export async function editSignal(
  api: SignalApi,
  { edit, revisions }: { readonly edit: MessageEdit; readonly revisions: Revisions },
  signal: AbortSignal,
): Promise<void> {
  const { place, messageId, text } = edit;
  const last = revisions.lastOf(messageId);
  const body = { ...textTo(api, place.chatId, text), edit_timestamp: Number(last) };
  const after = timestampIn(await api.call("/v2/send", { method: "POST", body, signal }));
  if (after !== "") revisions.note(last, after);
}

const textTo = ({ number }: SignalApi, chatId: string, message: string) => ({
  message,
  number,
  recipients: [chatId],
});

/** The message that is answered. Its words need not be repeated: phones have them. */
function quoteOf(replyTo: string | undefined) {
  const [, timestamp, author] = /^(\d+):(.+)$/.exec(replyTo ?? "") ?? [];
  if (timestamp === undefined || author === undefined) return {};
  return { quote_timestamp: Number(timestamp), quote_author: author, quote_message: "" };
}

/** Signs in a file's name would end it. */
const encoded = ({ name, mediaType, bytes }: OutgoingFile): string =>
  `data:${mediaType};filename=${name.replaceAll(/[;,]/g, "_")};base64,${Buffer.from(bytes).toString("base64")}`;

function timestampIn(answer: unknown): string {
  const timestamp = isJsonObject(answer) ? answer["timestamp"] : undefined;
  return typeof timestamp === "string" || typeof timestamp === "number" ? String(timestamp) : "";
}
