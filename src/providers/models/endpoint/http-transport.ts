import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { defined } from "../../../shared/json/defined.ts";
import { environmentProxies } from "../../../shared/net/proxies.ts";
import type { EnvironmentVariables } from "../config/environment.ts";

interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The response of an endpoint; its receiver reads the body to its end or destroys it. */
export interface HttpResponse {
  readonly status: number;
  /** By lower-case name; the first of several. */
  readonly header: (name: string) => string | undefined;
  readonly body: Readable;
}

/** The HTTP client for model endpoints. It follows no redirect, retries nothing and limits only the time to connect. */
export interface HttpTransport extends AsyncDisposable {
  /** Rejects with the network's error, or when the signal aborts. */
  send(request: HttpRequest): Promise<HttpResponse>;
}

const CONNECT_MS = 30_000;
/** Longer than a tool call usually takes: the next model call of a turn finds its connection open. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Makes a transport; its HTTP client is loaded with the first request.
 *
 * @param env - its proxy variables are honoured, in either case, except on the way to this machine
 */
export function openHttpTransport(env: EnvironmentVariables): HttpTransport {
  let opening: Promise<Dispatcher> | undefined;
  return {
    async send({ method, url, headers, body, signal }) {
      opening ??= openDispatcher(env);
      const dispatcher = await opening;
      const { origin, pathname, search } = new URL(url);
      const response = await dispatcher.request({
        origin,
        path: pathname + search,
        method,
        headers,
        ...defined({ signal, body }),
      });
      const header = (name: string): string | undefined => [response.headers[name]].flat()[0];
      return {
        status: response.statusCode,
        header,
        body: await decompressed(response.body, header("content-encoding")),
      };
    },
    async [Symbol.asyncDispose]() {
      const dispatcher = await opening?.catch(() => undefined);
      await dispatcher?.destroy();
    },
  };
}

async function openDispatcher(env: EnvironmentVariables): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import("undici");
  const options = {
    // Its own timeouts end every answer after 300 s of silence; the timeouts of model calls are the ones that count.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_MS },
    allowH2: false,
  };
  const { http: httpProxy, https: httpsProxy, direct } = environmentProxies(env);
  if (httpProxy === undefined || httpsProxy === undefined) return new Agent(options);
  const noProxy = direct.join(",");
  return new EnvHttpProxyAgent({ ...options, httpProxy, httpsProxy, noProxy });
}

async function decompressed(body: Readable, encoding: string | undefined): Promise<Readable> {
  if (encoding === undefined || encoding === "identity") return body;
  const zlib = await import("node:zlib");
  const { pipeline } = await import("node:stream");
  const decoder = {
    gzip: zlib.createGunzip,
    "x-gzip": zlib.createGunzip,
    br: zlib.createBrotliDecompress,
    deflate: zlib.createInflate,
    zstd: zlib.createZstdDecompress,
  }[encoding];
  if (decoder === undefined) return body;
  // An error on either side shows on the stream that is read.
  return pipeline(body, decoder(), () => undefined);
}
