import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { AccessToken, type GivenToken } from "../port/access-token.ts";
import { beforeSending, jsonBody, refusalError, retryAfterMs } from "../port/answers.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import type { ChannelAnswer, ChannelRequest } from "../port/transport.ts";

/** A request to the API. */
export interface FeishuCall {
  readonly method?: ChannelRequest["method"];
  /** JSON; a form is encoded already. */
  readonly body?: Readonly<Record<string, unknown>> | FormData;
  readonly signal: AbortSignal;
  /** Milliseconds; 30 s by default. */
  readonly timeoutMs?: number;
}

/** The Open API with the tokens that are got for one app: https://open.feishu.cn/document/server-docs/api-call-guide/calling-process/overview */
export class FeishuApi {
  readonly #account: Account;
  readonly #ports: Pick<ChannelPorts, "fetch" | "clock">;
  readonly #token: AccessToken;

  constructor(account: Account, ports: Pick<ChannelPorts, "fetch" | "clock">) {
    this.#account = account;
    this.#ports = ports;
    this.#token = new AccessToken(ports.clock, (signal) => beforeSending(this.#newToken(signal)));
  }

  /** The App ID. */
  get appId(): string {
    return this.#account.from ?? "";
  }

  /** Makes a request; gives its answer's `data`, or all of it where there is none. @throws HostError as `Channel` says */
  async call(path: string, call: FeishuCall): Promise<Record<string, unknown>> {
    const read = bodyOf(await this.#fetch(path, call));
    return isJsonObject(read["data"]) ? read["data"] : read;
  }

  /** Gets the bytes of what is no JSON. */
  async bytes(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const answer = await this.#fetch(path, { method: "GET", signal }, maxBytes);
    if (answer.status !== 200) bodyOf(answer);
    return answer.bytes;
  }

  /**
   * Asks where to connect: https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
   *
   * @throws HostError `config_invalid` when Feishu will never let the app in
   */
  async endpoint(signal: AbortSignal): Promise<Record<string, unknown>> {
    const secrets = { AppID: this.appId, AppSecret: this.#account.secrets["appSecret"] ?? "" };
    const answer = await this.#post("/callback/ws/endpoint", secrets, signal);
    const { code, msg, data } = jsonBody("feishu", answer);
    if (code === 0 && isJsonObject(data)) return data;
    const words = `feishu: no connection is offered: ${wordsOf(msg, code)}`;
    if (NOT_ADMITTED.has(code)) throw new HostError("unauthorized", words);
    throw new HostError("delivery_failed", words);
  }

  async #fetch(path: string, call: FeishuCall, maxBytes?: number): Promise<ChannelAnswer> {
    const { method = "POST", body, signal, timeoutMs } = call;
    const token = await this.#token.current(signal);
    const answer = await this.#ports.fetch({
      url: `${this.#account.baseUrl}/open-apis${path}`,
      method,
      ...(await encoded(body, token)),
      ...defined({ timeoutMs, maxBytes }),
      signal,
    });
    if (BAD_TOKEN.has(codeIn(answer))) {
      this.#token.forget(token);
      throw new HostError("delivery_failed", "feishu: the access token is not valid any more.");
    }
    return answer;
  }

  /** https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal */
  async #newToken(signal: AbortSignal): Promise<GivenToken> {
    const secrets = { app_id: this.appId, app_secret: this.#account.secrets["appSecret"] ?? "" };
    const answer = await this.#post("/open-apis/auth/v3/tenant_access_token/internal", secrets, signal);
    const read = jsonBody("feishu", answer);
    const { code, msg, tenant_access_token: token, expire } = read;
    if (code === 0 && typeof token === "string") return { token, seconds: Number(expire) || 0 };
    if (BAD_SECRETS.has(code))
      throw refusalError({ platform: "feishu", status: 401, message: wordsOf(msg, code) });
    throw errorOf(answer, read);
  }

  #post(path: string, body: object, signal: AbortSignal): Promise<ChannelAnswer> {
    return this.#ports.fetch({
      url: `${this.#account.baseUrl}${path}`,
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8", locale: "en" },
      body: JSON.stringify(body),
      signal,
    });
  }
}

async function encoded(body: FeishuCall["body"], token: string) {
  const authorization = `Bearer ${token}`;
  if (body instanceof FormData) {
    const form = new Response(body);
    const type = form.headers.get("content-type") ?? "";
    return {
      headers: { authorization, "content-type": type },
      body: new Uint8Array(await form.arrayBuffer()),
    };
  }
  const headers = { authorization, "content-type": "application/json; charset=utf-8" };
  return { headers, ...defined({ body: body && JSON.stringify(body) }) };
}

/** App Secret and App ID that do not belong together, or an app that is off. */
const BAD_SECRETS: ReadonlySet<unknown> = new Set([10003, 10014, 10012]);
const NOT_ADMITTED: ReadonlySet<unknown> = new Set([403, 514]);
const BAD_TOKEN: ReadonlySet<unknown> = new Set([99_991_661, 99_991_663, 99_991_665, 99_991_668, 99_991_671]);
/** https://open.feishu.cn/document/server-docs/api-call-guide/frequency-control, and those of messages. */
const TOO_FAST: ReadonlySet<unknown> = new Set([99_991_400, 11_232, 11_233, 11_247, 230_020, 1_000_004]);
/** The message, the chat, or the person in it is gone, or not the bot's to reach. */
const NOT_THERE: ReadonlySet<unknown> = new Set([
  230_002, 230_011, 230_013, 230_029, 230_050, 230_110, 231_003, 232_009,
]);
/** Something like it is being sent just now. */
const BEING_SENT = 230_049;

function codeIn({ status, headers, bytes }: ChannelAnswer): unknown {
  if (status < 300 && headers["content-type"]?.includes("json") !== true) return 0;
  try {
    const read: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isJsonObject(read) ? read["code"] : undefined;
  } catch {
    return undefined;
  }
}

/** @throws HostError as `Channel` says */
function bodyOf(answer: ChannelAnswer): Record<string, unknown> {
  if (answer.status === 429)
    throw errorOf(answer, { code: 99_991_400, msg: "request trigger frequency limit" });
  const read = jsonBody("feishu", answer);
  if (answer.status < 300 && read["code"] === 0) return read;
  throw errorOf(answer, read);
}

function errorOf({ status, headers }: ChannelAnswer, { code, msg }: Record<string, unknown>): HostError {
  const message = wordsOf(msg, code);
  const as = (shown: number, wait?: number): HostError =>
    refusalError({ platform: "feishu", status: shown, message, retryAfterMs: wait });
  if (TOO_FAST.has(code)) return as(429, retryAfterMs(headers["x-ogw-ratelimit-reset"]));
  if (NOT_THERE.has(code)) return as(404);
  if (code === BEING_SENT) return as(500);
  return as(status < 300 ? 400 : status);
}

const wordsOf = (msg: unknown, code: unknown): string =>
  `${typeof msg === "string" && msg !== "" ? msg : "no reason"} (code ${String(code)})`;
