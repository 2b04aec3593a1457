import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { jsonBody, refusalError } from "../port/answers.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";

/** The body of a request: JSON, or a form with a file. */
export type TelegramBody =
  | Readonly<Record<string, unknown>>
  | { readonly form: Uint8Array; readonly contentType: string };

/** The Bot API with the token of one bot. */
export class TelegramApi {
  readonly #account: Account;
  readonly #ports: ChannelPorts;

  constructor(account: Account, ports: ChannelPorts) {
    this.#account = account;
    this.#ports = ports;
  }

  /**
   * Calls a method; gives its `result`.
   *
   * @param timeoutMs - 30 s by default
   * @throws HostError as `Channel` says
   */
  async call(
    method: string,
    body: TelegramBody,
    options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<unknown> {
    const form = "form" in body && body.form instanceof Uint8Array ? body.form : undefined;
    const answer = await this.#ports.fetch({
      url: this.#url(`/bot`, method),
      method: "POST",
      headers: { "content-type": form === undefined ? "application/json" : String(body["contentType"]) },
      body: form ?? JSON.stringify(body),
      ...options,
    });
    const read = jsonBody("telegram", answer);
    if (read["ok"] === true) return read["result"];
    const { parameters, description } = read;
    const seconds = isJsonObject(parameters) ? Number(parameters["retry_after"]) : Number.NaN;
    const message = typeof description === "string" ? description : `status ${answer.status}`;
    throw errorOf(answer.status, message, seconds > 0 ? 1000 * seconds : undefined);
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
