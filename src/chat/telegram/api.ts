import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { jsonBody, refusalError } from "../port/answers.ts";
import type { OutgoingFile } from "../port/outgoing.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import type { ChannelAnswer } from "../port/transport.ts";
import type { MovedGroups } from "./moved-groups.ts";

/** The fields of a request. */
type Fields = Readonly<Record<string, unknown>>;

/** The options of a request. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** 30 s by default. */
  readonly timeoutMs?: number;
  /** A file that goes with the fields, under a name. */
  readonly file?: OutgoingFile & { readonly field: string };
}

/** The Bot API with the token of one bot. */
export class TelegramApi {
  readonly #account: Account;
  readonly #ports: Pick<ChannelPorts, "fetch">;
  readonly #moved: MovedGroups;

  constructor(account: Account, ports: Pick<ChannelPorts, "fetch">, moved: MovedGroups) {
    this.#account = account;
    this.#ports = ports;
    this.#moved = moved;
  }

  /**
   * Calls a method, once more when its chat has another id now; gives its `result`.
   *
   * @throws HostError as `Channel` says
   */
  async call(method: string, fields: Fields, options: CallOptions): Promise<unknown> {
    const { chat_id: chatId } = fields;
    if (typeof chatId !== "string") return resultOf(await this.#post(method, fields, options));
    const first = await this.#post(method, { ...fields, chat_id: this.#moved.idNow(chatId) }, options);
    const moved = newIdIn(first);
    if (moved === undefined) return resultOf(first);
    // Where it cannot be noted Telegram tells it again.
    await this.#moved.note(chatId, moved).catch(() => undefined);
    return resultOf(await this.#post(method, { ...fields, chat_id: moved }, options));
  }

  async #post(method: string, fields: Fields, { file, ...options }: CallOptions): Promise<ReadAnswer> {
    const body = file === undefined ? jsonOf(fields) : await formOf(fields, file);
    const answer = await this.#ports.fetch({
      url: this.#url(`/bot`, method),
      method: "POST",
      ...body,
      ...options,
    });
    return { answer, body: jsonBody("telegram", answer) };
  }

  /** Gets the bytes of a file by its path. */
  async file(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const { status, bytes } = await this.#ports.fetch({
      url: this.#url("/file/bot", path),
      maxBytes,
      signal,
    });
    if (status !== 200)
      throw refusalError({ platform: "telegram", status, message: "the file is not there" });
    return bytes;
  }

  #url(prefix: string, path: string): string {
    const { baseUrl, secrets } = this.#account;
    return `${baseUrl}${prefix}${secrets["token"] ?? ""}/${path}`;
  }
}

/** An answer, and its body. */
interface ReadAnswer {
  readonly answer: ChannelAnswer;
  readonly body: Fields;
}

/** @throws HostError as `Channel` says */
function resultOf({ answer: { status }, body }: ReadAnswer): unknown {
  if (body["ok"] === true) return body["result"];
  const { parameters, description } = body;
  const seconds = isJsonObject(parameters) ? Number(parameters["retry_after"]) : Number.NaN;
  const message = typeof description === "string" ? description : `status ${status}`;
  throw errorOf(status, message, seconds > 0 ? 1000 * seconds : undefined);
}

/** The id that the chat of a refused request has now: https://core.telegram.org/bots/api#responseparameters */
function newIdIn({ body: { ok, parameters } }: ReadAnswer): string | undefined {
  const id = ok !== true && isJsonObject(parameters) ? parameters["migrate_to_chat_id"] : undefined;
  return typeof id === "number" && Number.isSafeInteger(id) ? String(id) : undefined;
}

const jsonOf = (fields: Fields) => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(fields),
});

async function formOf(fields: Fields, { field, name, mediaType, bytes }: NonNullable<CallOptions["file"]>) {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields))
    form.append(key, typeof value === "string" ? value : JSON.stringify(value));
  form.append(field, new Blob([Buffer.from(bytes)], { type: mediaType }), name);
  const encoded = new Response(form);
  const contentType = encoded.headers.get("content-type") ?? "";
  return { headers: { "content-type": contentType }, body: new Uint8Array(await encoded.arrayBuffer()) };
}

function errorOf(status: number, message: string, retryAfterMs: number | undefined): HostError {
  // A token that does not exist is answered as a path that does not exist.
  if (status === 404)
    return refusalError({ platform: "telegram", status: 401, message: "the token is not valid" });
  if (status === 409)
    return new HostError(
      "delivery_failed",
      `telegram: another program receives with this token: ${message.slice(0, 200)}`,
    );
  if (
    status === 400 &&
    /message (?:to edit )?not found|chat not found|message can't be edited/i.test(message)
  )
    return refusalError({ platform: "telegram", status: 404, message });
  return refusalError({ platform: "telegram", status, message, retryAfterMs });
}
