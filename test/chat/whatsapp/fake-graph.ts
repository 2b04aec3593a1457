import type { ChatHistory } from "../kit/chat-history.ts";
import { formParts } from "../kit/form-parts.ts";

/** The id of the phone number that the bot has. */
export const FAKE_NUMBER = "106540352242922";

/** An answer of the Graph API: its status and its body. */
export type GraphAnswer = readonly [status: number, body: object];

interface GraphRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

interface GraphState {
  readonly url: string;
  readonly history: ChatHistory;
  readonly files: Map<string, Uint8Array>;
  readonly requests: unknown[];
  readonly refusal: GraphAnswer | undefined;
}

/** A refusal as the Graph API words it. */
export const graphRefusal = (status: number, code: number, message: string): GraphAnswer => [
  status,
  { error: { message: `(#${code}) ${message}`, type: "OAuthException", code, fbtrace_id: "A1" } },
];

/** Carries out a request of the bot. */
export function carryOut(state: GraphState, request: GraphRequest, newId: () => string): GraphAnswer {
  const { method, path, type, body } = request;
  const [version, node = "", edge] = path.split("/").slice(1);
  if (version !== "v23.0") return graphRefusal(400, 2500, "Unknown path components");
  if (method === "GET" && node === FAKE_NUMBER)
    return [200, { id: node, display_phone_number: "+1 555-078-3881", verified_name: "Agent" }];
  if (method === "GET") return mediaOf(state, node);
  if (node !== FAKE_NUMBER) return graphRefusal(400, 100, "Object does not exist");
  if (edge === "media") {
    const id = `media-${newId()}`;
    const parts = formParts(type, body);
    const file = parts.get("file");
    if (file !== undefined) state.files.set(id, file.bytes);
    // What curl and browsers call all that they do not know is not taken either.
    if (file?.mediaType === "text/csv" || file?.mediaType === "application/octet-stream")
      return graphRefusal(
        400,
        100,
        "Param file must be a file with one of the following types: text/plain, …",
      );
    const isComplete = file !== undefined && parts.has("messaging_product") && parts.has("type");
    return isComplete ? [200, { id }] : graphRefusal(400, 100, "Invalid parameter");
  }
  const message = JSON.parse(body.toString("utf8")) as Message;
  state.requests.push(message);
  if (message.messaging_product !== "whatsapp") return graphRefusal(400, 100, "messaging_product is missing");
  return message.status === "read" ? read(state, message) : post(state, message, newId);
}

interface Message {
  readonly messaging_product?: string;
  readonly status?: string;
  readonly message_id?: string;
  readonly typing_indicator?: { readonly type: string };
  readonly to?: string;
  readonly recipient?: string;
  readonly type?: string;
  readonly text?: { readonly body: string };
  readonly image?: { readonly id: string; readonly caption?: string };
  readonly document?: { readonly id: string; readonly caption?: string; readonly filename?: string };
  readonly interactive?: Interactive;
}

interface Interactive {
  readonly type: string;
  readonly body: { readonly text: string };
  readonly action: {
    readonly buttons?: readonly { readonly reply: { readonly id: string; readonly title: string } }[];
    readonly button?: string;
    readonly sections?: readonly {
      readonly rows: readonly {
        readonly id: string;
        readonly title: string;
        readonly description?: string;
      }[];
    }[];
  };
}

function mediaOf({ url, files }: GraphState, id: string): GraphAnswer {
  const bytes = files.get(id);
  if (bytes === undefined) return graphRefusal(404, 100, "Unsupported get request");
  return [200, { id, url: `${url}/files/${id}`, file_size: bytes.length, messaging_product: "whatsapp" }];
}

function read({ history }: GraphState, { message_id: id, typing_indicator: typing }: Message): GraphAnswer {
  const seen = history.messages.find((each) => each.id === id && each.by === "person");
  if (seen === undefined) return graphRefusal(400, 100, "Invalid message id");
  if (typing !== undefined) history.typing.push(seen.place);
  history.changed();
  return [200, { success: true }];
}

function post({ history, files, refusal }: GraphState, message: Message, newId: () => string): GraphAnswer {
  if (refusal !== undefined) return refusal;
  const chat = message.to ?? message.recipient;
  if (chat === undefined) return graphRefusal(400, 100, "The parameter to is required.");
  const shown = shownOf(message, files);
  if (typeof shown === "string") return graphRefusal(400, 131_009, shown);
  const id = newId();
  for (const media of [message.document ?? message.image ?? []].flat())
    history.received.push({
      name: message.document?.filename ?? "",
      bytes: files.get(media.id) ?? new Uint8Array(),
    });
  history.add({ id, place: chat, by: "bot", ...shown });
  return [200, { messaging_product: "whatsapp", contacts: [{ input: chat }], messages: [{ id }] }];
}

/** What people see, or why it is refused. */
function shownOf(message: Message, uploaded: GraphState["files"]) {
  const { type, text, interactive } = message;
  if (type === "text") {
    const words = text?.body ?? "";
    if (words === "" || words.length > 4096) return "Text body must be 1 to 4096 characters";
    return { text: words };
  }
  if (type === "interactive" && interactive !== undefined) return shownInteractive(interactive);
  const media = type === "image" ? message.image : type === "document" ? message.document : undefined;
  if (media === undefined || !uploaded.has(media.id)) return "Invalid media";
  const { caption = "" } = media;
  if (caption.length > 1024) return "Caption is too long";
  return { text: caption, files: [`${type ?? ""} ${message.document?.filename ?? ""}`.trim()] };
}

function shownInteractive({ type, body: { text }, action }: Interactive) {
  const { buttons = [], sections = [], button = "" } = action;
  if (type === "button") {
    const titles = buttons.map(({ reply }) => reply.title);
    if (text === "" || text.length > 1024) return "Body text must be 1 to 1024 characters";
    if (titles.length < 1 || titles.length > 3 || new Set(titles).size !== titles.length)
      return "Invalid buttons count";
    if (titles.some((title) => title === "" || title.length > 20)) return "Button title length invalid";
    return { text, buttons: buttons.map(({ reply }) => ({ label: reply.title, value: reply.id })) };
  }
  const rows = sections.flatMap((section) => section.rows);
  if (text === "" || text.length > 4096) return "Body text must be 1 to 4096 characters";
  if (rows.length < 1 || rows.length > 10 || button === "" || button.length > 20) return "Invalid list";
  if (rows.some(({ title, description = "" }) => title.length > 24 || description.length > 72))
    return "Row title length invalid";
  const seen = rows.map(({ id, title, description }) => ({ label: description ?? title, value: id }));
  return { text, buttons: seen, files: ["list"] };
}
