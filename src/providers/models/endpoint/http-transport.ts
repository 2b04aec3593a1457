import type { Readable } from "node:stream";
import { environmentProxies, proxyFor } from "../../../shared/net/proxies.ts";
import type { EnvironmentVariables } from "../config/environment.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "./http-client.ts";
import { directClient } from "./direct-client.ts";
import { proxiedClient } from "./proxied-client.ts";

/** The HTTP client for model endpoints. It follows no redirect, retries nothing and limits only the time to connect. */
export interface HttpTransport extends AsyncDisposable {
  /** Rejects with the network's error, or when the signal aborts. */
  send(request: HttpRequest): Promise<HttpResponse>;
}

/**
 * Makes a transport.
 *
 * @param env - its proxy variables are honoured, in either case, except on the way to this machine
 */
export function openHttpTransport(env: EnvironmentVariables): HttpTransport {
  let opened: Clients | undefined;
  return {
    async send(request) {
      opened ??= clientsFor(env);
      const { body, ...head } = await opened.clientFor(request.url).send(request);
      return { ...head, body: await decompressed(body, head.header("content-encoding")) };
    },
    [Symbol.asyncDispose]: async () => await opened?.close(),
  };
}

interface Clients extends Pick<HttpClient, "close"> {
  clientFor(url: string): HttpClient;
}

function clientsFor(env: EnvironmentVariables): Clients {
  const proxies = environmentProxies(env);
  const isProxied = proxies.http !== undefined || proxies.https !== undefined;
  const [direct, proxied] = [directClient(), proxiedClient(proxies)];
  return {
    clientFor: (url) => (isProxied && proxyFor(new URL(url), proxies) !== undefined ? proxied : direct),
    close: async () => void (await Promise.all([direct.close(), proxied.close()])),
  };
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
