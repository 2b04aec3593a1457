import { isThisMachine } from "../../../shared/net/url-parts.ts";
import type { WebFetcher } from "../ports.ts";
import { brave } from "./brave.ts";
import type { SearchEngine } from "./search-engine.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

/** The search engines that are known. */
export const SEARCH_PROVIDERS = ["searxng", "brave", "tavily"] as const;
/** A search engine that is known. */
export type SearchProvider = (typeof SEARCH_PROVIDERS)[number];

/** The configuration block `web.search`. */
export interface SearchConfig {
  /** What is set decides when this is not. */
  readonly provider?: SearchProvider | undefined;
  /** Of a SearXNG instance, or of a proxy in front of an API. */
  readonly url?: string | undefined;
  readonly keyEnv?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment from which a search engine is chosen. */
export interface SearchEnvironment {
  readonly env: Environment;
  /** Reaches this address even when it is private: the owner named it. */
  readonly fetcherTo: (url: string) => WebFetcher;
}

/** The engine to search with, or what to do to have one. */
export type EngineChoice =
  | { readonly engine: SearchEngine }
  | { readonly engine?: undefined; readonly remedy: string };

const KEYS: Readonly<Record<Exclude<SearchProvider, "searxng">, readonly [string, ...string[]]>> = {
  brave: ["BRAVE_SEARCH_API_KEY", "BRAVE_API_KEY"],
  tavily: ["TAVILY_API_KEY"],
};

/** The hosts that these keys are for. */
const HOSTS: Readonly<Record<Exclude<SearchProvider, "searxng">, string>> = {
  brave: "api.search.brave.com",
  tavily: "api.tavily.com",
};

/** The variable of .env in which a provider's key is kept; `undefined` where there are no keys. */
export const searchKeyVariable = (provider: SearchProvider): string | undefined =>
  provider === "searxng" ? undefined : KEYS[provider][0];

/** Finds the search engine that is configured, or says what is missing. */
export function chooseEngine(config: SearchConfig, { env, fetcherTo }: SearchEnvironment): EngineChoice {
  const provider = config.provider ?? providerBySettings(config, env);
  if (provider === undefined) return { remedy: NOTHING };
  if (provider === "searxng") {
    const url = config.url ?? value(env, "SEARXNG_URL");
    if (url === undefined)
      return { remedy: "Set web.search.url in config.yaml to the address of the SearXNG instance." };
    if (!isWebAddress(url))
      return { remedy: "web.search.url (or SEARXNG_URL) is no http or https address; correct it." };
    return { engine: searxng(fetcherTo, url) };
  }
  const { keyEnv, url } = config;
  const names = keyEnv === undefined ? KEYS[provider] : [keyEnv];
  const key = names.map((name) => value(env, name)).find((text) => text !== undefined);
  if (key === undefined) {
    const where = keyEnv === undefined ? KEYS[provider][0] : "the variable that web.search.key_env names";
    return { remedy: `Put a key for ${provider} into .env as ${where}.` };
  }
  if (url !== undefined && !isWebAddress(url))
    return { remedy: "web.search.url is no http or https address; correct it." };
  const host = url === undefined ? HOSTS[provider] : new URL(url).host;
  // A vendor's key goes elsewhere only when its owner says so.
  if (keyEnv === undefined && host !== HOSTS[provider] && !isThisMachine(host))
    return {
      remedy: `The key in ${names.join(" or ")} is for ${HOSTS[provider]}, and is not sent to ${host}. Name the variable of a key for ${host} in web.search.key_env.`,
    };
  const make = provider === "brave" ? brave : tavily;
  return { engine: make(fetcherTo, key, url) };
}

const NOTHING =
  "Searching is not configured: set web.search.url in config.yaml to a SearXNG instance, or put BRAVE_SEARCH_API_KEY or TAVILY_API_KEY into .env.";

function providerBySettings({ url, keyEnv }: SearchConfig, env: Environment): SearchProvider | undefined {
  // A key's variable alone does not say whose key it holds.
  if (keyEnv !== undefined) return undefined;
  if (url !== undefined || value(env, "SEARXNG_URL") !== undefined) return "searxng";
  return (["brave", "tavily"] as const).find((name) =>
    KEYS[name].some((key) => value(env, key) !== undefined),
  );
}

function value(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}

function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === "http:" || protocol === "https:";
}
