import type { HostError } from "../../shared/errors/host-error.ts";
import { readForeignObject } from "../../shared/json/json.ts";
import { defined } from "../../shared/json/defined.ts";
import { jsonValue, refusalError, retryAfterMs } from "../port/answers.ts";
import { pathOf } from "../port/request-path.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import type { ChannelAnswer } from "../port/transport.ts";

/** A request to the API. */
export interface MattermostCall {
  readonly method?: "GET" | "POST" | "PUT";
  /** JSON, or bytes as they are. */
  readonly body?: Readonly<Record<string, unknown>> | readonly string[] | Uint8Array;
  readonly signal: AbortSignal;
}

/** The REST API with the token of one bot: https://developers.mattermost.com/api-documentation/ */
export class MattermostApi {
  readonly #account: Account;
  readonly #ports: ChannelPorts;

  constructor(account: Account, ports: ChannelPorts) {
    this.#account = account;
    this.#ports = ports;
  }

  /** The address of the WebSocket. */
  get socketUrl(): string {
    return `${this.#account.baseUrl.replace(/^http/, "ws")}/api/v4/websocket`;
  }

  get token(): string {
    return this.#account.secrets["token"] ?? "";
  }

  /**
   * Makes a request; gives its JSON.
   *
   * @throws HostError as `Channel` says
   */
  async call(path: string, { method = "GET", body, signal }: MattermostCall): Promise<unknown> {
    const isRaw = body instanceof Uint8Array;
    const answer = await this.#ports.fetch({
      url: this.#url(path),
      method,
      headers: {
        ...this.#authorization,
        "content-type": isRaw ? "application/octet-stream" : "application/json",
      },
      ...defined({ body: isRaw || body === undefined ? body : JSON.stringify(body) }),
      signal,
    });
    if (answer.status >= 300) throw errorOf(answer);
    return jsonValue("mattermost", answer);
  }

  /** Gets the bytes of a file. */
  async file(id: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const url = this.#url(pathOf("files", id));
    const answer = await this.#ports.fetch({ url, headers: this.#authorization, maxBytes, signal });
    if (answer.status !== 200) throw errorOf(answer);
    return answer.bytes;
  }

  get #authorization() {
    return { authorization: `Bearer ${this.token}` };
  }

  #url(path: string): string {
    return `${this.#account.baseUrl}/api/v4${path}`;
  }
}

/** A server that says a point in time, and no wait, is not taken at its word. */
const LONGEST_WAIT_S = 3600;

function errorOf({ status, headers, bytes }: ChannelAnswer): HostError {
  const reset = headers["x-ratelimit-reset"];
  const wait =
    status === 429
      ? (retryAfterMs(headers["retry-after"]) ??
        (Number(reset) <= LONGEST_WAIT_S ? retryAfterMs(reset) : undefined))
      : undefined;
  const message = wordsOf(bytes) ?? `status ${status}`;
  return refusalError({ platform: "mattermost", status, message, retryAfterMs: wait });
}

/** The words of a refusal, `{"id", "message", "status_code"}`; that of a rate limit is bare text. */
function wordsOf(bytes: Uint8Array): string | undefined {
  const { message } = readForeignObject(bytes);
  return typeof message === "string" && message !== "" ? message : undefined;
}
