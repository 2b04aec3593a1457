import type { OpenIdFetch } from "../../dashboard/index.ts";
import { guardedFetcher } from "../../providers/fetch/index.ts";
import { type Clock, systemClock } from "../../core/index.ts";
import { environmentProxies } from "../../shared/net/proxies.ts";

const TIMEOUT_MS = 15_000;
const LARGEST_ANSWER = 1_000_000;

/** Makes the way to an identity provider: its own host, wherever that is, and the public web. */
export function providerFetch(
  issuer: string,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock = systemClock,
): OpenIdFetch {
  const { host, hostname } = new URL(issuer);
  const fetcher = guardedFetcher({ clock, proxies: environmentProxies(env), allow: [host, hostname] });
  return async (url, request) => {
    const method = request.method === "POST" ? "POST" : "GET";
    const { status, headers, bytes } = await fetcher.fetch({
      url,
      ...request,
      method,
      timeoutMs: TIMEOUT_MS,
      maxBytes: LARGEST_ANSWER,
    });
    return new Response(bytes.length === 0 ? null : Buffer.from(bytes), { status, headers });
  };
}
