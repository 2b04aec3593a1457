import { pathOf } from "../port/request-path.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { jsonBody, refusalError, retryAfterMs } from "../port/answers.ts";
import type { OutgoingFile } from "../port/outgoing.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import type { ChannelAnswer } from "../port/transport.ts";

/** A request to the client-server API. */
export interface MatrixCall {
  readonly method?: "GET" | "PUT" | "POST";
  readonly body?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds; 30 s by default. */
  readonly timeoutMs?: number;
  /** Bytes of the answer; 8 MB by default. */
  readonly maxBytes?: number;
}

const CLIENT = "/_matrix/client/v3";

/** The client-server API with the token of one account: https://spec.matrix.org/latest/client-server-api/ */
export class MatrixApi {
  readonly #account: Account;
  readonly #ports: ChannelPorts;

  constructor(account: Account, ports: ChannelPorts) {
    this.#account = account;
    this.#ports = ports;
  }

  /**
   * Makes a request; gives its JSON.
   *
   * @throws HostError as `Channel` says
   */
  async call(path: string, options: MatrixCall): Promise<Record<string, unknown>> {
    const { method = "GET", body, query, signal, timeoutMs, maxBytes } = options;
    const search = query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
    const answer = await this.#ports.fetch({
      url: `${this.#account.baseUrl}${CLIENT}${path}${search}`,
      method,
      headers: { ...this.#authorization, "content-type": "application/json" },
      ...defined({ body: body && JSON.stringify(body), timeoutMs, maxBytes }),
      signal,
    });
    const read = jsonBody("matrix", answer);
    if (answer.status >= 300) throw errorOf(answer, read);
    return read;
  }

  /** Puts a file into the server's store; gives its `mxc:` address. */
  async upload({ name, mediaType, bytes }: OutgoingFile, signal: AbortSignal): Promise<string> {
    const query = new URLSearchParams({ filename: name });
    const answer = await this.#ports.fetch({
      url: `${this.#account.baseUrl}/_matrix/media/v3/upload?${query.toString()}`,
      method: "POST",
      headers: { ...this.#authorization, "content-type": mediaType },
      body: bytes,
      signal,
    });
    const read = jsonBody("matrix", answer);
    if (answer.status >= 300) throw errorOf(answer, read);
    const { content_uri: uri } = read;
    if (typeof uri === "string") return uri;
    throw new HostError("delivery_failed", "matrix: the server named no address of a file.");
  }

  /**
   * Gets the bytes of a file. Servers before version 1.11 of the specification have them elsewhere:
   * https://spec.matrix.org/latest/client-server-api/#get_matrixclientv1mediadownloadservernamemediaid
   */
  async download(mxc: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const [, server, id] = /^mxc:\/\/([^/]+)\/([\w-]+)$/.exec(mxc) ?? [];
    if (server === undefined || id === undefined)
      throw new HostError("invalid_params", "matrix: the file has no address.");
    const at = pathOf(server, id);
    try {
      return await this.#bytes(`/_matrix/client/v1/media/download${at}`, maxBytes, signal);
    } catch (thrown) {
      if (toHostError(thrown).code !== "not_found") throw thrown;
      return await this.#bytes(`/_matrix/media/v3/download${at}`, maxBytes, signal);
    }
  }

  async #bytes(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const url = `${this.#account.baseUrl}${path}`;
    const answer = await this.#ports.fetch({ url, headers: this.#authorization, maxBytes, signal });
    if (answer.status !== 200) throw errorOf(answer, {});
    return answer.bytes;
  }

  get #authorization() {
    return { authorization: `Bearer ${this.#account.secrets["token"] ?? ""}` };
  }
}

/** https://spec.matrix.org/latest/client-server-api/#standard-error-response */
function errorOf({ status, headers }: ChannelAnswer, body: Readonly<Record<string, unknown>>): HostError {
  const { errcode, error, retry_after_ms: asked } = body;
  const words = typeof error === "string" && error !== "" ? error : `status ${status}`;
  const message = typeof errcode === "string" ? `${words} (${errcode})` : words;
  const waited = typeof asked === "number" && asked >= 0 ? asked : retryAfterMs(headers["retry-after"]);
  return refusalError({
    platform: "matrix",
    status,
    message,
    ...defined({ retryAfterMs: status === 429 ? waited : undefined }),
  });
}
