import { orAborted } from "../../shared/async/deadline.ts";
import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError, messageOf, toHostError } from "../../shared/errors/host-error.ts";
import { readBody, tooLarge } from "./body.ts";
import { CONNECTION, proxyAgent, TO_HOST } from "./connection.ts";
import {
  type Destination,
  type DestinationRules,
  destinations,
  type FindDestination,
} from "./destination.ts";

/** The limits of a fetcher. */
export interface FetcherOptions extends DestinationRules {
  readonly clock: Clock;
  readonly userAgent?: string;
}

/** A request to an address. */
export interface FetchRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Of the body, unpacked. */
  readonly maxBytes: number;
  /** For everything together, from the first name to the last byte. */
  readonly timeoutMs: number;
  /** Redirects that are followed, 3 by default; a `POST` follows none. */
  readonly redirects?: number;
  /** Whether a redirect may lead to another host; any by default. The host of `url` itself is not asked about. */
  readonly mayReach?: (host: string) => boolean;
  /** Media types of answers that are read, such as `image/`; all by default. */
  readonly accept?: (mediaType: string) => boolean;
}

/** The answer of an address. */
export interface Fetched {
  /** The address that answered, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Without parameters, in lower case; empty when there is none. */
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** The one way to addresses that users, models or other people's servers name. */
export interface Fetcher {
  /**
   * Fetches what a public address holds. Any status is an answer; a redirect that is followed is checked like the
   * first address.
   *
   * @throws HostError `fetch_refused` for where it must not go; `fetch_failed`; `interrupted` when `signal` aborts
   */
  fetch(request: FetchRequest): Promise<Fetched>;
}

const REDIRECTS = 3;

/** @throws HostError `config_invalid` for an entry of `allow` that cannot be read */
export function guardedFetcher(options: FetcherOptions): Fetcher {
  const { clock, userAgent = "agent-host" } = options;
  const find = destinations(options);
  return {
    async fetch(request) {
      const life = new AbortController();
      const over = new HostError(
        "fetch_failed",
        `${shownUrl(request.url)} took longer than ${request.timeoutMs / 1000} s.`,
      );
      const cancel = clock.after(request.timeoutMs, () => life.abort(over));
      const stop = (): void => life.abort(new HostError("interrupted", "The fetch was stopped."));
      request.signal?.addEventListener("abort", stop, { once: true });
      if (request.signal?.aborted === true) stop();
      try {
        return await follow(request, {
          // Name servers do not know of signals.
          find: (url) => orAborted(find(url), life.signal),
          signal: life.signal,
          userAgent,
        });
      } catch (thrown) {
        if (life.signal.aborted) throw toHostError(life.signal.reason);
        if (thrown instanceof HostError) throw thrown;
        const why = messageOf(thrown);
        throw new HostError("fetch_failed", `${shownUrl(request.url)} could not be fetched: ${why}.`, {
          cause: thrown,
        });
      } finally {
        cancel();
        request.signal?.removeEventListener("abort", stop);
      }
    },
  };
}

interface Way {
  readonly find: FindDestination;
  readonly signal: AbortSignal;
  readonly userAgent: string;
}

async function follow(request: FetchRequest, way: Way): Promise<Fetched> {
  let destination = await way.find(request.url);
  const { origin, hostname: first } = destination.url;
  for (let left = redirectsOf(request); ; left -= 1) {
    // What was meant for one server, such as a key, is not told to another.
    const { headers: _own, ...plain } = request;
    const next = await hop(destination.url.origin === origin ? request : plain, destination, way);
    if (!(next instanceof URL)) return next;
    if (left === 0)
      throw new HostError(
        "fetch_failed",
        `${shownUrl(request.url)} redirects too often; the last was to ${next.origin}.`,
      );
    if (next.hostname !== first && request.mayReach?.(next.hostname) === false)
      throw leadsAway(request.url, next);
    destination = await way.find(next);
  }
}

const leadsAway = (url: string, next: URL): HostError =>
  new HostError(
    "fetch_refused",
    `${shownUrl(url)} leads to ${shownUrl(next.href)}, a host that nobody has named since something sensitive was read. Request that address itself if it is needed: then the user is asked.`,
  );

/** One request, to an address that was checked: gives its answer, or where it sends us. */
async function hop(
  request: FetchRequest,
  destination: Destination,
  { signal, userAgent }: Way,
): Promise<Fetched | URL> {
  const { url } = destination;
  const client = await clientFor(destination);
  try {
    const answer = await client.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method ?? "GET",
      headers: { "user-agent": userAgent, "accept-encoding": "gzip, br", ...request.headers },
      signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    return await take(answer, url, request);
  } finally {
    await client.destroy();
  }
}

/** For this destination alone. */
async function clientFor({ url, addresses, proxy }: Destination): Promise<Dispatcher> {
  if (proxy !== undefined) return await proxyAgent(proxy);
  const { Client } = await import("undici");
  // The name is not looked up again: what was checked is where the connection goes.
  const pinned: LookupFunction = (_hostname, { all }, done) => {
    if (all === true) return done(null, [...addresses]);
    const [first] = addresses;
    return done(null, first?.address ?? "", first?.family ?? 4);
  };
  return new Client(url.origin, { ...CONNECTION, connect: { ...TO_HOST, lookup: pinned }, pipelining: 0 });
}

/** Only what asks and changes nothing may be sent elsewhere. */
const redirectsOf = ({ method = "GET", redirects = REDIRECTS }: FetchRequest): number =>
  method === "GET" ? redirects : 0;

const REDIRECTING = new Set([301, 302, 303, 307, 308]);

async function take(
  answer: Dispatcher.ResponseData,
  url: URL,
  request: FetchRequest,
): Promise<Fetched | URL> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) headers[name] = [value].flat().join(", ");
  answer.body.on("error", () => undefined);
  const location = REDIRECTING.has(answer.statusCode) ? headers["location"] : undefined;
  if (location !== undefined && redirectsOf(request) > 0) {
    const next = URL.parse(location, url);
    if (next === null)
      throw new HostError("fetch_failed", `${url.origin} redirects to something that is no address.`);
    return next;
  }
  const shown = shownUrl(url.href);
  const mediaType = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (request.accept !== undefined && !request.accept(mediaType))
    throw new HostError(
      "fetch_failed",
      `${shown} is ${mediaType || "of no known type"}, which is not what was asked for.`,
    );
  if (Number(headers["content-length"] ?? 0) > request.maxBytes) throw tooLarge(shown, request.maxBytes);
  const encoding = headers["content-encoding"] ?? "";
  const bytes = await readBody(answer.body, { encoding, maxBytes: request.maxBytes, shown });
  return { url: url.href, status: answer.statusCode, mediaType, headers, bytes };
}

/** An address as messages show it: without what may be secret in its query. */
function shownUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? "The address" : `${url.origin}${url.pathname}`.slice(0, 200);
}
