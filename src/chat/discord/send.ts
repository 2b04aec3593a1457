import { createHash } from "node:crypto";
import { isJsonObject } from "../../shared/json/json.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Button, MessageEdit, OutgoingFile, OutgoingMessage } from "../port/outgoing.ts";
import type { DiscordApi } from "./api.ts";
import { channelOf } from "./channels.ts";

const LONGEST_NONCE = 25;
const BUTTONS_A_ROW = 5;
const LONGEST_LABEL = 80;
const SUPPRESS_EMBEDS = 4;
/** A model's text must not notify anybody. */
const NOBODY = { parse: [] } as const;

/**
 * Posts a message, or a file with the text beside it; gives its id. Sent again with the same nonce, it is there once:
 * https://docs.discord.com/developers/resources/message#create-message
 */
export async function createMessage(
  api: DiscordApi,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<string> {
  const { place, text, buttons, replyTo, file, once } = message;
  const body = {
    ...lookOf(text, buttons),
    nonce: once.length <= LONGEST_NONCE ? once : hashed(once),
    enforce_nonce: true,
    ...defined({
      message_reference:
        replyTo === undefined ? undefined : { message_id: replyTo, fail_if_not_exists: false },
    }),
  };
  const path = `/channels/${channelOf(place)}/messages`;
  const sent = await api.call("POST", {
    path,
    signal,
    ...(file === undefined ? { body } : { form: await formOf(file, body) }),
  });
  const { id, content } = isJsonObject(sent) ? sent : {};
  if (typeof id !== "string") return "";
  // An earlier try was taken, when less of the answer was known.
  if (typeof content === "string" && content.trim() !== text.trim())
    await modifyMessage(api, { ...message, messageId: id }, signal);
  return id;
}

/** Changes a message. */
export async function modifyMessage(
  api: DiscordApi,
  { place, messageId, text, buttons }: MessageEdit,
  signal: AbortSignal,
): Promise<void> {
  const path = `/channels/${channelOf(place)}/messages/${encodeURIComponent(messageId)}`;
  await api.call("PATCH", { path, body: lookOf(text, buttons), signal });
}

const lookOf = (content: string, buttons: readonly Button[] = []) => ({
  content,
  allowed_mentions: NOBODY,
  flags: SUPPRESS_EMBEDS,
  components: rowsOf(buttons),
});

/** https://docs.discord.com/developers/components/reference#button */
const rowsOf = (buttons: readonly Button[]): readonly unknown[] =>
  Array.from({ length: Math.ceil(buttons.length / BUTTONS_A_ROW) }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * BUTTONS_A_ROW, (row + 1) * BUTTONS_A_ROW).map(({ label, value }) => ({
      type: 2,
      style: 2,
      label: label.slice(0, LONGEST_LABEL),
      custom_id: value,
    })),
  }));

const hashed = (once: string): string => createHash("sha256").update(once).digest("hex").slice(0, 24);

/** https://docs.discord.com/developers/reference#uploading-files */
async function formOf({ name, mediaType, bytes }: OutgoingFile, body: Readonly<Record<string, unknown>>) {
  const form = new FormData();
  form.append("payload_json", JSON.stringify({ ...body, attachments: [{ id: 0, filename: name }] }));
  form.append("files[0]", new Blob([Buffer.from(bytes)], { type: mediaType }), name);
  const encoded = new Response(form);
  const contentType = encoded.headers.get("content-type") ?? "";
  return { bytes: new Uint8Array(await encoded.arrayBuffer()), contentType };
}
