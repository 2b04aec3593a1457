import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { jsonBody, refusalError, retryAfterMs } from "../port/answers.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";

const PLATFORM = "whatsapp";

/** The body of a request: JSON, or a form with a file. */
export type GraphBody =
  | Readonly<Record<string, unknown>>
  | { readonly form: Uint8Array; readonly contentType: string };

/** The Graph API with the token of one system user: https://developers.facebook.com/docs/graph-api */
export class WhatsappApi {
  /** The id of the phone number that is written from. */
  readonly from: string;
  readonly #account: Account;
  readonly #ports: ChannelPorts;

  constructor(account: Account, ports: ChannelPorts) {
    this.#account = account;
    this.#ports = ports;
    this.from = account.from ?? "";
  }

  /** Reads a node. @throws HostError as `Channel` says */
  async get(path: string, signal: AbortSignal): Promise<Record<string, unknown>> {
    return await this.#call({ url: `${this.#account.baseUrl}/${path}`, headers: this.#headers }, signal);
  }

  /** Posts to an edge of the phone number. @throws HostError as `Channel` says */
  async post(
    edge: "messages" | "media",
    body: GraphBody,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const form = "form" in body && body.form instanceof Uint8Array ? body.form : undefined;
    const type = form === undefined ? "application/json" : String(body["contentType"]);
    const request = {
      url: `${this.#account.baseUrl}/${encodeURIComponent(this.from)}/${edge}`,
      method: "POST" as const,
      headers: { ...this.#headers, "content-type": type },
      body: form ?? JSON.stringify(body),
    };
    return await this.#call(request, signal);
  }

  /** Gets the bytes behind the address of a file. The token goes to Meta's own hosts only. */
  async file(address: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const url = URL.parse(address);
    const isOwn = url?.host === new URL(this.#account.baseUrl).host;
    const isMetas = url?.protocol === "https:" && /(?:^|\.)(?:fbsbx|facebook|fbcdn)\.com$/.test(url.hostname);
    if (!isOwn && !isMetas)
      throw new HostError("invalid_params", `whatsapp: ${url?.host ?? "an address"} is no host of Meta.`);
    const answer = await this.#ports.fetch({ url: address, headers: this.#headers, maxBytes, signal });
    const { status, bytes } = answer;
    if (status !== 200)
      throw refusalError({ platform: PLATFORM, status, message: "the file is not there any more" });
    return bytes;
  }

  get #headers(): { readonly authorization: string } {
    return { authorization: `Bearer ${this.#account.secrets["token"] ?? ""}` };
  }

  async #call(
    request: Omit<Parameters<ChannelPorts["fetch"]>[0], "signal">,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const answer = await this.#ports.fetch({ ...request, signal });
    const { status, headers } = answer;
    const { error, ...rest } = jsonBody(PLATFORM, answer);
    if (status < 300 && error === undefined) return rest;
    throw graphError(status, error, retryAfterMs(headers["retry-after"]));
  }
}

/** Codes that mean: too fast; and the milliseconds that are waited where nothing is said. */
const TOO_FAST: ReadonlyMap<unknown, number> = new Map([
  [4, 60_000],
  [80_007, 60_000],
  // Too many in one second.
  [130_429, 1000],
  // To one person: https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes
  [131_056, 10_000],
  [131_048, 600_000],
]);
const BAD_TOKEN: ReadonlySet<unknown> = new Set([0, 3, 10, 190, 200]);
/** Something is wrong at Meta. */
const BROKEN: ReadonlySet<unknown> = new Set([1, 2, 131_000, 131_016, 131_057, 133_004]);
const WINDOW_CLOSED = 131_047;

/** The error that a refusal is. */
function graphError(status: number, error: unknown, wait: number | undefined): HostError {
  const { code } = isJsonObject(error) ? error : {};
  const message = graphWords(error) ?? `status ${status}`;
  const as = (shown: number, retry?: number): HostError =>
    refusalError({ platform: PLATFORM, status: shown, message, retryAfterMs: retry });
  const pause = TOO_FAST.get(code);
  if (pause !== undefined) return as(429, wait ?? pause);
  if (BROKEN.has(code)) return as(500);
  if (BAD_TOKEN.has(code) || status === 401) return as(401);
  return as(status < 300 ? 400 : status, wait);
}

/** What an error of Meta says, for the operator; `undefined` when it is none. */
export function graphWords(error: unknown): string | undefined {
  if (!isJsonObject(error)) return undefined;
  const { message, title, code, error_data: data } = error;
  const said = [message, title].find((text) => typeof text === "string" && text !== "");
  const more = isJsonObject(data) && typeof data["details"] === "string" ? data["details"] : "";
  const words = [said, more === said ? "" : more].filter((text) => typeof text === "string" && text !== "");
  const number = typeof code === "number" ? ` (code ${code})` : "";
  const hint =
    code === WINDOW_CLOSED
      ? ". They have not written for 24 hours: until they write again WhatsApp takes no free text"
      : "";
  return `${words.join(": ").slice(0, 200) || "refused"}${number}${hint}`;
}
