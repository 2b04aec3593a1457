import { type ClientRequest, type IncomingMessage, request, type RequestOptions } from "node:http";
import { request as requestSecurely } from "node:https";
import type { Duplex } from "node:stream";
import { HostError } from "../../../../shared/errors/host-error.ts";
import { environmentProxies, type Proxies, proxyFor } from "../../../../shared/net/proxies.ts";
import { urlHost } from "../../../../shared/net/url-parts.ts";
import type { HostTarget } from "../port.ts";

const CONNECT_MS = 30_000;

/** The proxies of this machine's own network, where there are any: the way to all that is not near. */
export class OuterProxies {
  readonly #proxies: Proxies;

  /** @throws HostError `config_invalid` for a variable that names no HTTP proxy */
  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#proxies = environmentProxies(env);
    for (const each of [this.#proxies.http, this.#proxies.https]) {
      if (each !== undefined && !/^https?:/i.test(each)) {
        throw new HostError(
          "config_invalid",
          "HTTP_PROXY or HTTPS_PROXY names a SOCKS proxy; the sandbox passes through HTTP proxies only. Name one of those, or list hosts in NO_PROXY.",
        );
      }
    }
  }

  /** The proxy on the way to a host, for plain requests or for tunnels. */
  to({ host, port }: HostTarget, scheme: "http" | "https"): URL | undefined {
    const found = proxyFor(new URL(`${scheme}://${urlHost(host)}:${port}/`), this.#proxies);
    return found === undefined ? undefined : new URL(found);
  }
}

/** Starts a request to a proxy, with the name and password that its address holds. */
export function requestTo(
  proxy: URL,
  options: Omit<RequestOptions, "headers"> & {
    readonly headers: Readonly<Record<string, string | string[]>>;
  },
): ClientRequest {
  const { username, password } = proxy;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const isKnown = username !== "" || password !== "";
  const headers = {
    ...options.headers,
    ...(isKnown ? { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` } : {}),
  };
  const isSecure = proxy.protocol === "https:";
  return (isSecure ? requestSecurely : request)({
    agent: false,
    host: proxy.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: proxy.port === "" ? (isSecure ? 443 : 80) : proxy.port,
    ...options,
    headers,
  });
}

/** Asks a proxy for a connection to a host. Resolves with it, or with what the proxy said instead, a phrase. */
export async function tunnelThrough(proxy: URL, { host, port }: HostTarget): Promise<Duplex | string> {
  const path = `${urlHost(host)}:${port}`;
  const asked = requestTo(proxy, { method: "CONNECT", path, headers: { host: path }, timeout: CONNECT_MS });
  const { promise, resolve } = Promise.withResolvers<Duplex | string>();
  asked.on("connect", (answer: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (answer.statusCode === undefined || answer.statusCode < 200 || answer.statusCode > 299) {
      socket.destroy();
      resolve(`the network's own proxy answers ${answer.statusCode}`);
      return;
    }
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  asked.on("response", (answer) => {
    answer.resume();
    resolve(`the network's own proxy answers ${answer.statusCode}`);
  });
  asked.on("timeout", () => asked.destroy(new Error("no answer")));
  asked.on("error", () => resolve("the network's own proxy cannot be reached"));
  asked.end();
  return await promise;
}
