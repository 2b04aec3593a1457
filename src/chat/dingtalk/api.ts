import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { readForeignObject } from "../../shared/json/json.ts";
import { AccessToken, type GivenToken } from "../port/access-token.ts";
import { beforeSending, jsonBody, refusalError, retryAfterMs, textIn } from "../port/answers.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import type { ChannelAnswer } from "../port/transport.ts";

const BASE_URL = "https://api.dingtalk.com";
/** Uploads are still there. */
const OLD_BASE_URL = "https://oapi.dingtalk.com";

/** A request to the API. */
export interface DingtalkCall {
  readonly method?: "POST" | "PUT";
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** The API with the tokens that are got for one app: https://open.dingtalk.com/document/orgapp/how-to-call-apis */
export class DingtalkApi {
  readonly #account: Account;
  readonly #ports: Pick<ChannelPorts, "fetch" | "clock">;
  readonly #token: AccessToken;

  constructor(account: Account, ports: Pick<ChannelPorts, "fetch" | "clock">) {
    this.#account = account;
    this.#ports = ports;
    this.#token = new AccessToken(ports.clock, (signal) => beforeSending(this.#newToken(signal)));
  }

  /** The Client ID, which is the robot's code too. */
  get robotCode(): string {
    return this.#account.from ?? "";
  }

  /** Proves the secrets. @throws HostError as `Channel` says */
  async prove(signal: AbortSignal): Promise<void> {
    await this.#token.current(signal);
  }

  /** Makes a request; gives its answer. @throws HostError as `Channel` says */
  async call(
    path: string,
    { method = "POST", body, signal }: DingtalkCall,
  ): Promise<Record<string, unknown>> {
    const token = await this.#token.current(signal);
    const answer = await this.#ports.fetch({
      url: `${this.#account.baseUrl}${path}`,
      method,
      headers: { ...JSON_TYPES, "x-acs-dingtalk-access-token": token },
      body: JSON.stringify(body),
      signal,
    });
    return this.#read(answer, token);
  }

  /** Uploads a file; gives its id: https://open.dingtalk.com/document/orgapp/upload-media-files */
  async upload(form: FormData, type: "image" | "file", signal: AbortSignal): Promise<string> {
    const token = await this.#token.current(signal);
    const { baseUrl } = this.#account;
    const base = baseUrl === BASE_URL ? OLD_BASE_URL : baseUrl;
    const query = new URLSearchParams({ access_token: token, type });
    const encoded = new Response(form);
    const answer = await this.#ports.fetch({
      url: `${base}/media/upload?${query.toString()}`,
      method: "POST",
      headers: { "content-type": encoded.headers.get("content-type") ?? "" },
      body: new Uint8Array(await encoded.arrayBuffer()),
      signal,
    });
    return textIn("dingtalk", this.#read(answer, token), "media_id");
  }

  /** Posts to the address that came with a message, which needs no token: https://open.dingtalk.com/document/orgapp/robot-reply-and-send-messages */
  async reply(url: string, { body, signal }: DingtalkCall): Promise<void> {
    const answer = await this.#ports.fetch({
      url,
      method: "POST",
      headers: JSON_TYPES,
      body: JSON.stringify(body),
      signal,
    });
    this.#read(answer, "");
  }

  /** Gets the bytes of a file of a message: https://open.dingtalk.com/document/orgapp/download-the-file-content-of-the-robot-receiving-message */
  async file(downloadCode: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const body = { downloadCode, robotCode: this.robotCode };
    const got = await this.call("/v1.0/robot/messageFiles/download", { body, signal });
    const url = textIn("dingtalk", got, "downloadUrl");
    const { status, bytes } = await this.#ports.fetch({ url, maxBytes, signal });
    if (status !== 200)
      throw refusalError({ platform: "dingtalk", status, message: "the file is not there any more" });
    return bytes;
  }

  /** Asks where to connect: https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol */
  async endpoint(topics: readonly string[], signal: AbortSignal): Promise<string> {
    const subscriptions = topics.map((topic) => ({ type: "CALLBACK", topic }));
    const body = {
      clientId: this.robotCode,
      clientSecret: this.#account.secrets["clientSecret"] ?? "",
      subscriptions,
      ua: "agent-host",
    };
    const opened = await this.#open("/v1.0/gateway/connections/open", body, signal);
    const ticket = encodeURIComponent(textIn("dingtalk", opened, "ticket"));
    return `${textIn("dingtalk", opened, "endpoint")}?ticket=${ticket}`;
  }

  /** https://open.dingtalk.com/document/orgapp/obtain-the-access_token-of-an-internal-app */
  async #newToken(signal: AbortSignal): Promise<GivenToken> {
    const body = { appKey: this.robotCode, appSecret: this.#account.secrets["clientSecret"] ?? "" };
    const given = await this.#open("/v1.0/oauth2/accessToken", body, signal);
    return { token: textIn("dingtalk", given, "accessToken"), seconds: Number(given["expireIn"]) || 0 };
  }

  /** What is asked with the secrets themselves. */
  async #open(path: string, body: object, signal: AbortSignal): Promise<Record<string, unknown>> {
    const answer = await this.#ports.fetch({
      url: `${this.#account.baseUrl}${path}`,
      method: "POST",
      headers: JSON_TYPES,
      body: JSON.stringify(body),
      signal,
    });
    const read = jsonBody("dingtalk", answer);
    if (answer.status < 300) return read;
    const isSecrets = /^(?:invalidClientIdOrSecret|authFailed|InvalidParameter)/i.test(String(read["code"]));
    throw isSecrets
      ? refusalError({ platform: "dingtalk", status: 401, message: wordsOf(read) })
      : errorOf(answer, read);
  }

  #read(answer: ChannelAnswer, token: string): Record<string, unknown> {
    if (answer.status === 429) throw errorOf(answer, readForeignObject(answer.bytes));
    const read = jsonBody("dingtalk", answer);
    const { errcode } = read;
    const isDone = answer.status < 300 && (errcode === undefined || errcode === 0);
    if (isDone) return read;
    if (BAD_TOKEN.test(String(read["code"])) || OLD_BAD_TOKEN.has(errcode)) {
      this.#token.forget(token);
      throw new HostError("delivery_failed", "dingtalk: the access token is not valid any more.");
    }
    throw errorOf(answer, read);
  }
}

const JSON_TYPES = { "content-type": "application/json", accept: "application/json" };

const BAD_TOKEN = /^InvalidAuthentication/i;
const OLD_BAD_TOKEN: ReadonlySet<unknown> = new Set([40_014, 42_001, 88]);
/** https://open.dingtalk.com/document/orgapp/api-call-frequency-limit, and those of robots. */
const TOO_FAST = /QpsLimit|flow.?control|too.?fast|Throttling/i;
const OLD_TOO_FAST: ReadonlySet<unknown> = new Set([130_101, 90_018, 90_030]);
/** The chat, the person in it, or the card is gone, or not the robot's to reach. */
const NOT_THERE = /notfound|notexist|disbanded|invalid\.?staff|resource\.not|robot\.offline|not\.in\.group/i;
/** A minute of it counts. */
const BUSY_MS = 20_000;

function errorOf({ status, headers }: ChannelAnswer, read: Record<string, unknown>): HostError {
  const { code, errcode } = read;
  const message = wordsOf(read);
  const as = (shown: number, wait?: number): HostError =>
    refusalError({ platform: "dingtalk", status: shown, message, ...defined({ retryAfterMs: wait }) });
  if (status === 429 || TOO_FAST.test(String(code)) || OLD_TOO_FAST.has(errcode))
    return as(429, retryAfterMs(headers["retry-after"]) ?? BUSY_MS);
  if (NOT_THERE.test(String(code))) return as(404);
  return as(status < 300 || status === 401 || status === 403 ? 400 : status);
}

function wordsOf({ code, message, errcode, errmsg }: Record<string, unknown>): string {
  const words = [message, errmsg].find((each) => typeof each === "string" && each !== "");
  return `${typeof words === "string" ? words : "no reason"} (${String(code ?? errcode)})`;
}
