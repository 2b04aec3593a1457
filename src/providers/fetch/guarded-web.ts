import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { HostError } from "../../shared/errors/host-error.ts";
import { CONNECTION, proxyAgent, TO_HOST } from "./connection.ts";
import { type Destination, type DestinationRules, destinations } from "./destination.ts";

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

const BODILESS = new Set([101, 204, 205, 304]);

/** @throws HostError `config_invalid` for an entry of `allow` that cannot be read */
export function guardedWeb(rules: DestinationRules): GuardedWeb {
  const find = destinations(rules);
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
      const destination = await find(input);
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
  return new Agent({ ...CONNECTION, connect: { ...TO_HOST, lookup: pinned } });
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
