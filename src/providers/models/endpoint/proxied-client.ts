import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { defined } from "../../../shared/json/defined.ts";
import type { Proxies } from "../../../shared/net/proxies.ts";
import { MODEL_CONNECT_MS, type HttpClient, KEEP_ALIVE_MS, lengthHeader } from "./http-client.ts";

/** Opens the client for hosts that are reached through a proxy; its package is loaded with the first request. */
export function proxiedClient(proxies: Proxies): HttpClient {
  let opening: Promise<Dispatcher> | undefined;
  return {
    async send({ method, url, headers, body, signal }) {
      opening ??= openDispatcher(proxies);
      const { origin, pathname, search } = new URL(url);
      const response = await (
        await opening
      ).request({
        origin,
        path: pathname + search,
        method,
        headers: { ...headers, ...lengthHeader(body) },
        ...defined({ signal, body: typeof body === "object" ? await readable(body) : body }),
      });
      return {
        status: response.statusCode,
        header: (name) => [response.headers[name]].flat()[0],
        body: response.body,
      };
    },
    async close() {
      const dispatcher = await opening?.catch(() => undefined);
      await dispatcher?.destroy();
    },
  };
}

async function readable(pieces: readonly Uint8Array[]): Promise<Readable> {
  const { Readable } = await import("node:stream");
  return Readable.from(pieces);
}

async function openDispatcher({ http, https, direct }: Proxies): Promise<Dispatcher> {
  const { EnvHttpProxyAgent } = await import("undici");
  return new EnvHttpProxyAgent({
    // Its own timeouts end every answer after 300 s of silence; the timeouts of model calls are the ones that count.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: MODEL_CONNECT_MS },
    allowH2: false,
    noProxy: direct.join(","),
    ...defined({ httpProxy: http, httpsProxy: https }),
  });
}
