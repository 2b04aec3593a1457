import type { HostError } from "../../shared/errors/host-error.ts";
import { readForeignObject } from "../../shared/json/json.ts";
import { defined } from "../../shared/json/defined.ts";
import { jsonValue, refusalError, retryAfterMs } from "../port/answers.ts";
import { pathOf } from "../port/request-path.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import type { ChannelAnswer } from "../port/transport.ts";

/** A request to the service. */
export interface SignalCall {
  readonly method?: "GET" | "POST" | "PUT";
  readonly body?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Milliseconds; 30 s by default. */
  readonly timeoutMs?: number;
}

/** The REST service of one number: https://bbernhard.github.io/signal-cli-rest-api/ */
export class SignalApi {
  readonly #account: Account;
  readonly #ports: ChannelPorts;
  /** The number that it writes from. */
  readonly number: string;

  constructor(account: Account, ports: ChannelPorts) {
    this.#account = account;
    this.#ports = ports;
    this.number = account.from ?? "";
  }

  /** The address of the WebSocket on which messages come, where the service has one. */
  get socketUrl(): string {
    return `${this.#account.baseUrl.replace(/^http/, "ws")}${pathOf("v1", "receive", this.number)}`;
  }

  /**
   * Makes a request; gives the JSON of its answer, or nothing when it has none.
   *
   * @throws HostError as `Channel` says
   */
  async call(path: string, options: SignalCall): Promise<unknown> {
    const { method = "GET", body, signal, timeoutMs } = options;
    const answer = await this.#ports.fetch({
      url: `${this.#account.baseUrl}${path}`,
      method,
      headers: { "content-type": "application/json" },
      ...defined({ body: body && JSON.stringify(body), timeoutMs }),
      signal,
    });
    if (answer.status >= 300) throw errorOf(answer);
    return answer.status === 204 || answer.bytes.length === 0 ? undefined : jsonValue("signal", answer);
  }

  /** Gets the bytes of a file that came. */
  async file(id: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const url = `${this.#account.baseUrl}${pathOf("v1", "attachments", id)}`;
    const answer = await this.#ports.fetch({ url, maxBytes, signal });
    if (answer.status !== 200) throw errorOf(answer);
    return answer.bytes;
  }
}

/** Signal wants a riddle solved before this number may write on. */
const RIDDLE_WAIT_MS = 300_000;

function errorOf({ status, headers, bytes }: ChannelAnswer): HostError {
  const { error, challenge_tokens: tokens } = readForeignObject(bytes);
  const words = typeof error === "string" && error !== "" ? error : `status ${status}`;
  const asks = Array.isArray(tokens) && tokens.length > 0;
  return refusalError({
    platform: "signal",
    status,
    message: asks ? `${words} Signal asks for a captcha: see docs/chat.md, Signal.` : words,
    ...defined({
      retryAfterMs: status === 429 ? (retryAfterMs(headers["retry-after"]) ?? RIDDLE_WAIT_MS) : undefined,
    }),
  });
}
