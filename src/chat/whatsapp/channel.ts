import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, parseForeignJson, readForeignJson } from "../../shared/json/json.ts";
import type { Channel, Sink, WebhookAnswer, WebhookRequest } from "../port/channel.ts";
import type { Incoming, IncomingFile } from "../port/incoming.ts";
import type { Person } from "../port/place.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { WhatsappApi } from "./api.ts";
import { readNotice } from "./receive.ts";
import { sendToNumber } from "./send.ts";
import { answerChallenge, isSignedByMeta } from "./verify.ts";

/** Makes the channel of a phone number. @throws HostError `config_invalid` */
export function whatsappChannel(account: Account, ports: ChannelPorts): Channel {
  const { mode, secrets } = account;
  if (mode === "connection")
    throw new HostError(
      "config_invalid",
      "platforms.whatsapp.extra.mode: connection does not work: WhatsApp posts to /webhooks/whatsapp. Leave it out.",
    );
  const api = new WhatsappApi(account, ports);
  const newest = new NewestMessages();

  async function take(request: WebhookRequest, sink: Sink): Promise<WebhookAnswer> {
    const { events, undelivered } = readNotice(readForeignJson(request.body), api.from);
    newest.note(events);
    await sink.take(events);
    for (const message of undelivered) await sink.undelivered(message);
    return { status: 200 };
  }

  return {
    async connect(_commands, signal): Promise<Person> {
      const path = `${encodeURIComponent(api.from)}?fields=display_phone_number,verified_name`;
      const { display_phone_number: number, verified_name: name } = await api.get(path, signal);
      const shown = [name, number].filter((each) => typeof each === "string" && each !== "").join(" ");
      return { id: api.from, name: shown || api.from };
    },
    async webhook(request, sink) {
      if (request.method === "GET") return answerChallenge(secrets["verifyToken"] ?? "", request);
      return isSignedByMeta(secrets["appSecret"] ?? "", request)
        ? await take(request, sink)
        : { status: 401 };
    },
    send: (message, signal) => sendToNumber(api, message, signal),
    // It says that the message was read, too.
    async typing({ chatId }, signal) {
      const messageId = newest.of(chatId);
      if (messageId === undefined) return;
      const read = { messaging_product: "whatsapp", status: "read", message_id: messageId };
      await api.post("messages", { ...read, typing_indicator: { type: "text" } }, signal);
    },
    // A button stays as it is, and nothing but a message tells what became of it.
    async answerClick({ answerId = "[]" }, text, signal) {
      const given = parseForeignJson(answerId);
      const [chatId, replyTo]: unknown[] = Array.isArray(given) ? given : [];
      if (typeof chatId !== "string" || typeof replyTo !== "string") return;
      const place = { kind: "direct", chatId } as const;
      await sendToNumber(api, { place, text, source: text, once: replyTo, replyTo }, signal);
    },
    download: (file, maxBytes, signal) => download(api, { file, maxBytes }, signal),
  };
}

async function download(
  api: WhatsappApi,
  { file: { ref }, maxBytes }: { readonly file: IncomingFile; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const found: unknown = await api.get(
    `${encodeURIComponent(ref)}?phone_number_id=${encodeURIComponent(api.from)}`,
    signal,
  );
  const { url, file_size: size } = isJsonObject(found) ? found : {};
  if (Number(size) > maxBytes)
    throw new HostError("invalid_params", `it is larger than ${Math.floor(maxBytes / 1_000_000)} MB`);
  if (typeof url === "string") return await api.file(url, maxBytes, signal);
  throw new HostError("not_found", "whatsapp: the file is not there any more.");
}

const MOST_CHATS = 5000;

/** The newest message of each chat, as long as this process runs: a sign of writing is shown below it. */
class NewestMessages {
  readonly #byChat = new Map<string, string>();

  note(events: readonly Incoming[]): void {
    if (this.#byChat.size >= MOST_CHATS) this.#byChat.clear();
    for (const event of events)
      if (event.type === "message") this.#byChat.set(event.place.chatId, event.messageId);
  }

  of(chatId: string): string | undefined {
    return this.#byChat.get(chatId);
  }
}
