import type { HostError } from "../../shared/errors/host-error.ts";
import { readForeignJson, readForeignObject } from "../../shared/json/json.ts";
import { jsonBody, refusalError, retryAfterMs } from "../port/answers.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import type { ChannelAnswer } from "../port/transport.ts";
import { RateLimits } from "./rate-limits.ts";

/** A request to the API. */
export interface DiscordRequest {
  /** Below the base address. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly form?: { readonly bytes: Uint8Array; readonly contentType: string };
  readonly signal: AbortSignal;
}

// https://docs.discord.com/developers/reference#user-agent
const USER_AGENT = "DiscordBot (agent-host, 1.0)";

/** The HTTP API, version 10, with the token of one bot. */
export class DiscordApi {
  readonly #account: Account;
  readonly #ports: ChannelPorts;
  readonly #limits: RateLimits;

  constructor(account: Account, ports: ChannelPorts) {
    this.#account = account;
    this.#ports = ports;
    this.#limits = new RateLimits(ports.clock);
  }

  /**
   * Makes a request; gives the JSON of its answer, or nothing when it has none.
   *
   * @throws HostError as `Channel` says; `delivery_failed` without a request when a limit is known to be reached
   */
  async call(
    method: "GET" | "POST" | "PUT" | "PATCH",
    { path, body, form, signal }: DiscordRequest,
  ): Promise<unknown> {
    const wait = this.#limits.waitFor(method, path);
    if (wait > 0) throw tooFast("its rate limit is reached", wait);
    const contentType = form?.contentType ?? "application/json";
    const bytes = form?.bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await this.#ports.fetch({
      url: `${this.#account.baseUrl}${path}`,
      method,
      headers: {
        authorization: `Bot ${this.#account.secrets["token"] ?? ""}`,
        "user-agent": USER_AGENT,
        ...(bytes === undefined ? {} : { "content-type": contentType }),
      },
      ...(bytes === undefined ? {} : { body: bytes }),
      signal,
    });
    this.#limits.note(method, path, answer);
    return readAnswer(answer);
  }

  /** Gets a file, without the token. */
  async file(url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const { status, bytes } = await this.#ports.fetch({ url, maxBytes, signal });
    if (status === 200) return bytes;
    throw refusalError({ platform: "discord", status, message: "the file is not there" });
  }
}

const tooFast = (message: string, waitMs: number): HostError =>
  refusalError({ platform: "discord", status: 429, message, retryAfterMs: Math.ceil(waitMs) });

function readAnswer(answer: ChannelAnswer): unknown {
  const { status, headers, bytes } = answer;
  if (status === 204) return undefined;
  // The limit of a proxy before the API is no JSON.
  if (status === 429) {
    const seconds = retryIn(bytes);
    throw tooFast("too many requests", seconds ?? retryAfterMs(headers["retry-after"]) ?? 5000);
  }
  if (status >= 200 && status < 300) return isList(bytes) ? listIn(answer) : jsonBody("discord", answer);
  const { message, code } = status >= 500 ? {} : jsonBody("discord", answer);
  const words = typeof message === "string" ? message : `status ${status}`;
  throw refusalError({
    platform: "discord",
    status,
    message: typeof code === "number" && code !== 0 ? `${words} (code ${code})` : words,
  });
}

/** Milliseconds that the body of a 429 asks to wait; it is more exact than the header. */
function retryIn(bytes: Uint8Array): number | undefined {
  const { retry_after: seconds } = readForeignObject(bytes);
  return typeof seconds === "number" && seconds >= 0 ? 1000 * seconds : undefined;
}

const BRACKET = "[".charCodeAt(0);
const isList = (bytes: Uint8Array): boolean => bytes[0] === BRACKET;

const listIn = (answer: ChannelAnswer): unknown =>
  readForeignJson(answer.bytes) ?? jsonBody("discord", answer);
