import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Proxies } from "../../shared/net/proxies.ts";
import { allowedHosts } from "./allowed-hosts.ts";
import { type Destination, destinationOf, type Resolve, type UnresolvedNames } from "./destination.ts";

/** Options of the guarded `fetch`. */
export interface GuardedWebOptions {
  /** Private hosts that may be reached all the same: names, `name:port`, addresses, networks. */
  readonly allow?: readonly string[];
  /** Finds the addresses of a name; the system's way by default. */
  readonly resolve?: Resolve;
  /** The proxies on the way out; none by default. */
  readonly proxies?: Proxies;
  /** Names that only the proxy could look up; refused by default. */
  readonly unresolved?: UnresolvedNames;
}

/** The guarded way for a protocol that streams: `fetch` in the platform's shape. Disposing closes its connections. */
export interface GuardedWeb extends AsyncDisposable {
  /**
   * Sends one request and gives its answer, with the body as it comes. Follows no redirect: whoever does sends the
   * next request here too.
   *
   * @throws HostError `fetch_refused` for where it must not go; `fetch_failed`
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
}

const CONNECT_MS = 10_000;
const LARGEST_HEAD = 64 * 1024;
/** A stream of messages may be silent for as long as it likes. */
const PATIENT = { maxHeaderSize: LARGEST_HEAD, headersTimeout: 0, bodyTimeout: 0 };
const BODILESS = new Set([101, 204, 205, 304]);

/** @throws HostError `config_invalid` for an entry of `allow` that cannot be read */
export function guardedWeb({
  allow = [],
  resolve = systemResolve,
  proxies,
  unresolved,
}: GuardedWebOptions): GuardedWeb {
  const allowed = allowedHosts(allow);
  const checked = new Map<string, readonly LookupAddress[]>();
  let direct: Promise<Dispatcher> | undefined;
  const through = new Map<string, Promise<Dispatcher>>();
  const wayTo = ({ url, addresses, proxy }: Destination): Promise<Dispatcher> => {
    if (proxy !== undefined) return through.getOrInsertComputed(proxy, proxyAgent);
    checked.set(url.hostname, addresses);
    return (direct ??= pinnedAgent(checked));
  };
  return {
    async fetch(input, init = {}) {
      const destination = await destinationOf(input, { resolve, allowed, proxies, unresolved });
      const { url } = destination;
      try {
        return responseOf(await send(await wayTo(destination), url, init), url);
      } catch (thrown) {
        if (init.signal?.aborted === true || thrown instanceof HostError) throw thrown;
        const why = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
        throw new HostError("fetch_failed", `${url.origin} cannot be reached: ${why}`, { cause: thrown });
      }
    },
    async [Symbol.asyncDispose]() {
      for (const agent of [direct, ...through.values()]) await (await agent)?.destroy();
    },
  };
}

const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/** Connects to addresses that were checked; no name is looked up a second time. */
async function pinnedAgent(checked: ReadonlyMap<string, readonly LookupAddress[]>): Promise<Dispatcher> {
  const { Agent } = await import("undici");
  const pinned: LookupFunction = (hostname, options, done) => {
    const addresses = checked.get(hostname) ?? [];
    const [first] = addresses;
    if (first === undefined) return done(new Error(`${hostname} was not checked`), "", 4);
    if (options.all === true) return done(null, [...addresses]);
    done(null, first.address, first.family);
  };
  return new Agent({ ...PATIENT, connect: { lookup: pinned, timeout: CONNECT_MS } });
}

async function proxyAgent(uri: string): Promise<Dispatcher> {
  const { ProxyAgent } = await import("undici");
  const connect = { timeout: CONNECT_MS };
  return new ProxyAgent({ ...PATIENT, uri, proxyTls: connect, requestTls: connect });
}

async function send(agent: Dispatcher, url: URL, init: RequestInit): Promise<Dispatcher.ResponseData> {
  const { body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new HostError("fetch_failed", "Only text is sent this way.");
  return await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: init.method ?? "GET",
    headers: { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined || signal === null ? {} : { signal }),
  });
}

function responseOf({ statusCode, headers, body }: Dispatcher.ResponseData, url: URL): Response {
  const shown = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const each of [value ?? []].flat()) shown.append(name, each);
  // An error of the body reaches whoever reads it.
  body.on("error", () => undefined);
  if (BODILESS.has(statusCode)) body.destroy();
  const stream = BODILESS.has(statusCode) ? null : Readable.toWeb(body);
  // Node's own type of a web stream is not the one that the platform's Response is declared with; the object is.
  const response = new Response(stream as ReadableStream<Uint8Array> | null, {
    status: statusCode,
    headers: shown,
  });
  return Object.defineProperty(response, "url", { value: url.href });
}
