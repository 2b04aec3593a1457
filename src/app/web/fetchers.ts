import type { ToolSession, Toolset } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { environmentProxies } from "../../shared/net/proxies.ts";
import { urlPort } from "../../shared/net/url-parts.ts";
import type { Fetcher, UnresolvedNames } from "../../providers/fetch/index.ts";
import { chooseEngine, type EngineChoice, type FetcherFor, webToolset } from "../../providers/web/index.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import type { AppSettings } from "../config/settings.ts";

/**
 * The way of a session to pages and images that its model names. A webhook's sender is a stranger: what the owner may
 * read besides the public web is not for them. Behind a proxy, only what the owner starts goes to names that this machine
 * cannot look up.
 */
export function sessionFetchers(
  live: LiveSettings,
  clock: Clock,
): (session: Pick<ToolSession, "platform">) => Fetcher {
  const ways: Readonly<Record<Trust, Fetcher>> = {
    owner: ownerFetcher(live, clock, "proxy"),
    caller: ownerFetcher(live, clock, "refused"),
    stranger: lazyFetcher({ clock, env: live.env }),
  };
  return ({ platform }) => ways[TRUST[platform]];
}

/** Who says what a session reads: the owner, a caller who has the owner's key, or anybody. */
type Trust = "owner" | "caller" | "stranger";

const TRUST: Readonly<Record<ToolSession["platform"], Trust>> = {
  cli: "owner",
  tui: "owner",
  acp: "owner",
  job: "owner",
  library: "owner",
  api_server: "caller",
  webhook: "stranger",
  chat: "stranger",
  app: "stranger",
};

/** The public web, and what the owner allows now. */
export function ownerFetcher(live: LiveSettings, clock: Clock, unresolved: UnresolvedNames): Fetcher {
  const fetcher = madeOnce(live, ({ blocks }) =>
    lazyFetcher({ clock, env: live.env, allow: blocks.web?.private_hosts ?? [], unresolved }),
  );
  return { fetch: (request) => fetcher().fetch(request) };
}

/** The way of events to the addresses of other software: the public web, and what the owner allows for them now. */
export function eventFetcher(live: LiveSettings, clock: Clock): Fetcher {
  const fetcher = madeOnce(live, ({ blocks }) =>
    lazyFetcher({ clock, env: live.env, allow: blocks.webhooks?.private_hosts ?? [] }),
  );
  return { fetch: (request) => fetcher().fetch(request) };
}

/** Checks where an address for events leads. @throws HostError `fetch_refused` for where nothing may be sent */
export async function checkEventUrl({ current: { blocks }, env }: LiveSettings, url: string): Promise<void> {
  const { destinations } = await import("../../providers/fetch/index.ts");
  const allow = blocks.webhooks?.private_hosts ?? [];
  await destinations({ allow, proxies: environmentProxies(env) })(url);
}

/** Gives what is made of the settings, the same as long as they stay as they are. */
function madeOnce<T>(live: LiveSettings, make: (settings: AppSettings) => T): () => T {
  let known: { readonly settings: AppSettings; readonly made: T } | undefined;
  return () => {
    const settings = live.current;
    if (known?.settings !== settings) known = { settings, made: make(settings) };
    return known.made;
  };
}

/** The search engine that is configured, or what is missing. */
export function searchEngine(
  clock: Clock,
  { blocks, env }: Pick<AppSettings, "blocks" | "env">,
): EngineChoice {
  const { provider, url, key_env: keyEnv } = blocks.web?.search ?? {};
  // The owner wrote the address: it may be private.
  const fetcherTo = (address: string): Fetcher => lazyFetcher({ clock, env, allow: [hostAndPort(address)] });
  return chooseEngine({ provider, url, keyEnv }, { env, fetcherTo });
}

/** Gives the toolset `web` as it is configured now; the same one as long as nothing changed. */
export const webToolsets = (
  live: LiveSettings,
  options: { readonly clock: Clock; readonly fetcherFor: FetcherFor; readonly outputLimit: number },
): (() => Toolset) =>
  madeOnce(live, ({ blocks }) =>
    webToolset({ ...options, search: searchEngine(options.clock, { blocks, env: live.env }) }),
  );

interface LazyFetcherOptions {
  readonly clock: Clock;
  readonly env: AppSettings["env"];
  readonly allow?: readonly string[];
  readonly unresolved?: UnresolvedNames;
}

/** A fetcher whose program is loaded when it is used: most commands fetch nothing. */
function lazyFetcher({ clock, env, allow = [], unresolved = "refused" }: LazyFetcherOptions): Fetcher {
  let fetcher: Promise<Fetcher> | undefined;
  return {
    async fetch(request) {
      const proxies = environmentProxies(env);
      fetcher ??= import("../../providers/fetch/index.ts").then(({ guardedFetcher }) =>
        guardedFetcher({ clock, allow, proxies, unresolved }),
      );
      return await (await fetcher).fetch(request);
    },
  };
}

/** Host and port of an address, as a fetcher's list of allowed hosts takes them. */
function hostAndPort(address: string): string {
  const url = new URL(address);
  return `${url.hostname}:${urlPort(url)}`;
}
