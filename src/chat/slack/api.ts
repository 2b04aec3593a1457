import { HostError } from "../../shared/errors/host-error.ts";
import { jsonBody, refusalError, retryAfterMs } from "../port/answers.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";

/** The arguments of a method; what is no text goes as JSON. */
export type SlackFields = Readonly<Record<string, unknown>>;

const PLATFORM = "slack";

/** Methods that write take JSON; those that read take forms only. */
const TAKE_JSON: ReadonlySet<string> = new Set(["chat.postMessage", "chat.update", "chat.postEphemeral"]);

/** The Web API with the tokens of one app: https://docs.slack.dev/apis/web-api */
export class SlackApi {
  readonly #account: Account;
  readonly #ports: ChannelPorts;

  constructor(account: Account, ports: ChannelPorts) {
    this.#account = account;
    this.#ports = ports;
  }

  /**
   * Calls a method; gives its answer.
   *
   * @param secret - whose token it is called with: the bot's by default
   * @param timeoutMs - 30 s by default
   * @throws HostError as `Channel` says
   */
  async call(
    method: string,
    fields: SlackFields,
    {
      secret = "token",
      ...options
    }: { readonly signal: AbortSignal; readonly timeoutMs?: number; readonly secret?: "token" | "appToken" },
  ): Promise<Record<string, unknown>> {
    const isJson = TAKE_JSON.has(method);
    const answer = await this.#ports.fetch({
      url: `${this.#account.baseUrl}/${method}`,
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#account.secrets[secret] ?? ""}`,
        "content-type": isJson ? "application/json; charset=utf-8" : "application/x-www-form-urlencoded",
      },
      body: isJson ? JSON.stringify(fields) : formOf(fields),
      ...options,
    });
    const { status, headers } = answer;
    const wait = retryAfterMs(headers["retry-after"]);
    if (status === 429)
      throw refusalError({ platform: PLATFORM, status, message: "ratelimited", retryAfterMs: wait });
    const read = jsonBody(PLATFORM, answer);
    if (status < 300 && read["ok"] === true) return read;
    throw errorOf(status, read, wait);
  }

  /** Gets the bytes of a file. The bot's token goes to Slack's own hosts only. */
  async file(
    url: string,
    { mediaType, maxBytes, signal }: { mediaType: string; maxBytes: number; signal: AbortSignal },
  ): Promise<Uint8Array> {
    this.checkHost(url, "https:");
    const { status, headers, bytes } = await this.#ports.fetch({
      url,
      headers: { authorization: `Bearer ${this.#account.secrets["token"] ?? ""}` },
      maxBytes,
      signal,
    });
    if (status !== 200) throw refusalError({ platform: PLATFORM, status, message: "the file is not there" });
    // Without the right to read files the answer is a page on which to sign in.
    if (mediaType !== "text/html" && headers["content-type"]?.startsWith("text/html") === true)
      throw refusalError({
        platform: PLATFORM,
        status: 403,
        message: "the file cannot be read: the bot needs the scope files:read",
      });
    return bytes;
  }

  /** Puts the bytes of a file to where the API said. */
  async upload(url: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    this.checkHost(url, "https:");
    const headers = { "content-type": "application/octet-stream" };
    const { status } = await this.#ports.fetch({ url, method: "POST", headers, body: bytes, signal });
    if (status !== 200) throw refusalError({ platform: PLATFORM, status, message: "the file was not taken" });
  }

  /**
   * Refuses an address that is none of Slack's, nor of the account's own host.
   *
   * @throws HostError `invalid_params`
   */
  checkHost(address: string, protocol: "https:" | "wss:"): void {
    const url = URL.parse(address);
    const isOwn = url?.host === new URL(this.#account.baseUrl).host;
    const isSlacks = url?.protocol === protocol && /(^|\.)slack\.com$/.test(url.hostname);
    if (!isOwn && !isSlacks)
      throw new HostError("invalid_params", `slack: ${url?.host ?? "an address"} is no host of Slack.`);
  }
}

function formOf(fields: SlackFields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  return form.toString();
}

const BAD_SECRETS: ReadonlySet<unknown> = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "not_allowed_token_type",
]);
const NOT_THERE: ReadonlySet<unknown> = new Set([
  "channel_not_found",
  "message_not_found",
  "thread_not_found",
  "file_not_found",
  "user_not_found",
  "not_in_channel",
  "is_archived",
  "cant_update_message",
  "edit_window_closed",
]);
/** Some of it may have been done. */
const BROKEN: ReadonlySet<unknown> = new Set(["internal_error", "fatal_error", "request_timeout"]);
const LATER: ReadonlySet<unknown> = new Set([
  "service_unavailable",
  "team_added_to_org",
  "org_login_required",
]);
const TOO_FAST: ReadonlySet<unknown> = new Set(["ratelimited", "rate_limited", "message_limit_exceeded"]);

/** The error that an answer is: Slack says most of them with status 200. */
function errorOf(status: number, { error, needed }: Record<string, unknown>, wait?: number): HostError {
  const name = typeof error === "string" ? error : `status ${status}`;
  const message = typeof needed === "string" ? `${name}: the scope ${needed} is needed` : name;
  const as = (shown: number, retryAfter?: number): HostError =>
    refusalError({ platform: PLATFORM, status: shown, message, retryAfterMs: retryAfter });
  if (TOO_FAST.has(error)) return as(429, wait);
  if (BAD_SECRETS.has(error)) return as(401);
  if (NOT_THERE.has(error)) return as(404);
  if (BROKEN.has(error)) return as(500, wait);
  if (LATER.has(error)) return new HostError("delivery_failed", `slack: ${message}`);
  return as(status < 300 ? 400 : status, wait);
}
