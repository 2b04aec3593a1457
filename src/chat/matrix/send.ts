import { beforeSending } from "../port/answers.ts";
import { defined } from "../../shared/json/defined.ts";
import type { MessageEdit, OutgoingFile, OutgoingMessage } from "../port/outgoing.ts";
import type { MatrixApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import { EventWire } from "./wire.ts";

/**
 * Sends a message, or a file with the text beside it; gives its id. Sent again with the same transaction id it is there once:
 * https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
 */
export async function sendRoomMessage(
  api: MatrixApi,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<string> {
  const { place, text, source, file, once, again } = message;
  const content = file === undefined ? textOf(source, text) : await fileContent(api, message, signal);
  const { event_id: id } = await api.call(sendPath(place.chatId, once), {
    method: "PUT",
    body: { ...content, ...relationTo(message) },
    signal,
  });
  if (typeof id !== "string") return "";
  if (again === true) await complete(api, { ...message, messageId: id }, signal);
  return id;
}

/** An earlier try was taken, perhaps when less of the text was known: then it is changed. */
async function complete(
  api: MatrixApi,
  edit: MessageEdit & Pick<OutgoingMessage, "file" | "once">,
  signal: AbortSignal,
): Promise<void> {
  const { place, messageId, source, file, once } = edit;
  const path = pathOf("rooms", place.chatId, "event", messageId);
  const { data: there } = EventWire.safeParse(await api.call(path, { signal }));
  if (file === undefined && there?.content.body !== source)
    await replaceMessage(api, edit, { signal, transaction: `${once}-again` });
}

/** Changes a message: https://spec.matrix.org/latest/client-server-api/#event-replacements */
export async function replaceMessage(
  api: MatrixApi,
  { place, messageId, text, source }: MessageEdit,
  { signal, transaction }: { readonly signal: AbortSignal; readonly transaction: string },
): Promise<void> {
  const body = {
    // For clients that show no changes; all of it twice would be too much for one event.
    msgtype: "m.text",
    body: `* ${source.slice(0, FALLBACK)}`.toWellFormed(),
    "m.mentions": {},
    "m.new_content": textOf(source, text),
    "m.relates_to": { rel_type: "m.replace", event_id: messageId },
  };
  await api.call(sendPath(place.chatId, transaction), { method: "PUT", body, signal });
}

const FALLBACK = 200;

const sendPath = (roomId: string, transaction: string): string =>
  pathOf("rooms", roomId, "send", "m.room.message", transaction);

const textOf = (body: string, html: string) => ({
  msgtype: "m.text",
  body,
  format: "org.matrix.custom.html",
  formatted_body: html,
  // Nobody is called, whatever the text says.
  "m.mentions": {},
});

/** The message's place in its thread, and what it answers: https://spec.matrix.org/latest/client-server-api/#threading */
function relationTo({ place: { threadId }, replyTo }: OutgoingMessage) {
  const answered = replyTo === undefined ? {} : { "m.in_reply_to": { event_id: replyTo } };
  if (threadId === undefined) return replyTo === undefined ? {} : { "m.relates_to": answered };
  // Clients without threads show it as an answer.
  const fallback = replyTo === undefined ? {} : { is_falling_back: true, ...answered };
  return { "m.relates_to": { rel_type: "m.thread", event_id: threadId, ...fallback } };
}

async function fileContent(
  api: MatrixApi,
  { file, source, text }: OutgoingMessage,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { name, mediaType, bytes } = file as OutgoingFile;
  const url = await beforeSending(api.upload({ name, mediaType, bytes }, signal));
  const kind = KINDS[mediaType.split("/")[0] ?? ""] ?? "m.file";
  return {
    ...textOf(source || name, text || name),
    ...defined({ format: source === "" ? undefined : "org.matrix.custom.html" }),
    msgtype: kind,
    filename: name,
    url,
    info: { mimetype: mediaType, size: bytes.length },
  };
}

const KINDS: Readonly<Record<string, string>> = { image: "m.image", audio: "m.audio", video: "m.video" };
