import type { ChannelFetch } from "../../chat/index.ts";
import { guardedFetcher } from "../../providers/fetch/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { Proxies } from "../../shared/net/proxies.ts";

const TIMEOUT_MS = 30_000;
const LARGEST_ANSWER = 8_000_000;
/** A slow line. */
const BYTES_PER_MS = 100;

/** The way of a platform's channel to its API: the account's own host, wherever it is, and the public web. */
export function chatFetch(
  baseUrl: string,
  way: { readonly clock: Clock; readonly proxies: Proxies },
): ChannelFetch {
  const { host, hostname } = new URL(baseUrl);
  const fetcher = guardedFetcher({ ...way, allow: [host, hostname] });
  return async (request) => {
    try {
      const { body = "", maxBytes = LARGEST_ANSWER } = request;
      // Files take their time.
      const timeoutMs = TIMEOUT_MS + (body.length + Math.max(0, maxBytes - LARGEST_ANSWER)) / BYTES_PER_MS;
      return await fetcher.fetch({ timeoutMs, maxBytes, ...request });
    } catch (thrown) {
      throw withoutPath(request.url, toHostError(thrown));
    }
  };
}

/** Failures before anything was sent: names that are not found, doors that are shut. */
const NEVER_LEFT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A failure as it may be shown: addresses of some platforms hold the bot's token. */
function withoutPath(address: string, { code, message, details, cause }: HostError): HostError {
  const url = new URL(address);
  const shown = message.replaceAll(url.pathname, "").replaceAll(url.href, url.origin);
  const left = code !== "fetch_refused" && !isBeforeSending(cause);
  return new HostError(code, shown, {
    cause,
    details: { ...details, ...(left ? { uncertain: true as const } : {}) },
  });
}

function isBeforeSending(cause: unknown): boolean {
  for (let error = cause; error instanceof Error; error = error.cause)
    if ("code" in error && NEVER_LEFT.has(error.code)) return true;
  return false;
}
