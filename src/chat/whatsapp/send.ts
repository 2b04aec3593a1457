import { HostError } from "../../shared/errors/host-error.ts";
import { beforeSending } from "../port/answers.ts";
import type { Button, OutgoingFile, OutgoingMessage } from "../port/outgoing.ts";
import type { GraphBody, WhatsappApi } from "./api.ts";

/** Posts a message, or a file with the text as its caption; gives its id. */
export async function sendToNumber(
  api: WhatsappApi,
  { place, text, buttons = [], replyTo, file }: OutgoingMessage,
  signal: AbortSignal,
): Promise<string> {
  const common = {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...recipient(place.chatId),
    ...(replyTo === undefined ? {} : { context: { message_id: replyTo } }),
  };
  if (file === undefined) return await post(api, { ...common, ...worded(text, buttons) }, signal);
  const media = await beforeSending(uploaded(api, file, signal));
  const isLong = text.length > LONGEST_CAPTION;
  if (isLong) await post(api, { ...common, ...worded(text, buttons) }, signal);
  return await post(api, { ...common, ...mediaBody(file, media, isLong ? "" : text) }, signal);
}

/** A person whose number is not told has an id of letters and digits: `DE.1502576394655843`. */
const recipient = (chatId: string): Readonly<Record<string, string>> =>
  /^[A-Z]{2}\./.test(chatId) ? { recipient: chatId } : { to: chatId };

async function post(api: WhatsappApi, body: GraphBody, signal: AbortSignal): Promise<string> {
  const { messages } = await api.post("messages", body, signal);
  const [first]: unknown[] = Array.isArray(messages) ? messages : [];
  const id = typeof first === "object" && first !== null && "id" in first ? first.id : undefined;
  return typeof id === "string" ? id : "";
}

const MOST_BUTTONS = 3;
const LONGEST_TITLE = 20;
const LONGEST_BUTTON_TEXT = 1024;
const MOST_ROWS = 10;
const LONGEST_ROW = 24;
const LONGEST_DESCRIPTION = 72;
const LONGEST_TEXT = 4096;

/** A text with its buttons: as buttons, as a list, or with numbers to answer by, whichever can show them. */
function worded(text: string, buttons: readonly Button[]): Readonly<Record<string, unknown>> {
  if (buttons.length === 0) return { type: "text", text: { body: text } };
  const titles = new Set(buttons.map(({ label }) => label));
  const areShort = [...titles].every((title) => title.length <= LONGEST_TITLE);
  if (
    buttons.length <= MOST_BUTTONS &&
    areShort &&
    titles.size === buttons.length &&
    text.length <= LONGEST_BUTTON_TEXT
  )
    return { type: "interactive", interactive: replyButtons(text, buttons) };
  if (buttons.length <= MOST_ROWS) return { type: "interactive", interactive: listOf(text, buttons) };
  const numbers = `\n\n${buttons.map(({ label }, index) => `${index + 1}. ${label}`).join("\n")}\n\nAnswer with a number.`;
  return { type: "text", text: { body: `${text.slice(0, LONGEST_TEXT - numbers.length)}${numbers}` } };
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-reply-buttons-messages */
const replyButtons = (text: string, buttons: readonly Button[]) => ({
  type: "button",
  body: { text },
  action: {
    buttons: buttons.map(({ label: title, value: id }) => ({ type: "reply", reply: { id, title } })),
  },
});

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-list-messages */
const listOf = (text: string, buttons: readonly Button[]) => ({
  type: "list",
  body: { text },
  action: { button: "Answer", sections: [{ rows: buttons.map(rowOf) }] },
});

const rowOf = ({ label, value: id }: Button) =>
  label.length <= LONGEST_ROW
    ? { id, title: label }
    : {
        id,
        title: `${label.slice(0, LONGEST_ROW - 1)}…`.toWellFormed(),
        description: label.slice(0, LONGEST_DESCRIPTION).toWellFormed(),
      };

const LONGEST_CAPTION = 1024;
const PHOTOS: ReadonlySet<string> = new Set(["image/png", "image/jpeg"]);
const LARGEST_PHOTO = 5_000_000;

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#supported-media-types */
const TAKEN: ReadonlySet<string> = new Set([
  "audio/aac",
  "audio/mp4",
  "audio/mpeg",
  "audio/amr",
  "audio/ogg",
  "application/pdf",
  "application/msword",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "image/jpeg",
  "image/png",
  "image/webp",
  "text/plain",
  "video/mp4",
  "video/3gpp",
]);
const TEXTS = /^(?:text\/|application\/(?:json|xml)$|image\/svg)/;

/** As what Meta takes a file. All texts are plain ones; their names say what they are. @throws HostError `invalid_params` */
function takenAs(mediaType: string): string {
  if (TAKEN.has(mediaType)) return mediaType;
  if (TEXTS.test(mediaType)) return "text/plain";
  throw new HostError(
    "invalid_params",
    `whatsapp: files of the kind ${mediaType} are not taken; texts, PDF, Word, Excel, PowerPoint, pictures, MP3 and MP4 are.`,
  );
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media */
async function uploaded(
  api: WhatsappApi,
  { name, mediaType, bytes }: OutgoingFile,
  signal: AbortSignal,
): Promise<string> {
  const type = takenAs(mediaType);
  const form = new FormData();
  form.append("messaging_product", "whatsapp");
  form.append("type", type);
  form.append("file", new Blob([Buffer.from(bytes)], { type }), name);
  const encoded = new Response(form);
  const contentType = encoded.headers.get("content-type") ?? "";
  const answer = await api.post(
    "media",
    { form: new Uint8Array(await encoded.arrayBuffer()), contentType },
    signal,
  );
  if (typeof answer["id"] === "string") return answer["id"];
  throw new HostError("delivery_failed", "whatsapp: the file was taken, but no id was named.");
}

function mediaBody({ name, mediaType, bytes }: OutgoingFile, id: string, caption: string) {
  const media = { id, ...(caption === "" ? {} : { caption }) };
  return PHOTOS.has(mediaType) && bytes.length <= LARGEST_PHOTO
    ? { type: "image", image: media }
    : { type: "document", document: { ...media, filename: name } };
}
