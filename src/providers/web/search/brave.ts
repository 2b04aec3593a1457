import { z } from "zod";
import { isJsonObject } from "../../../shared/json/json.ts";
import type { WebFetcher } from "../ports.ts";
import { ask, hitsOf } from "./ask.ts";
import type { SearchEngine } from "./search-engine.ts";

const Entry = z.object({
  url: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  extra_snippets: z.array(z.string()).nullish(),
  age: z.string().nullish(),
});

const URL_OF_API = "https://api.search.brave.com/";

/**
 * Brave Search, by its web search API.
 *
 * @param url - of a proxy in front of the API; the vendor's by default
 * @see https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
 */
export function brave(fetcherTo: (url: string) => WebFetcher, key: string, url = URL_OF_API): SearchEngine {
  const engine = "Brave Search";
  const remedy =
    "Check the key and its plan: BRAVE_SEARCH_API_KEY in .env, or the variable that web.search.key_env names.";
  const fetcher = fetcherTo(url);
  return {
    name: engine,
    async search({ query, limit, signal }) {
      const address = new URL("/res/v1/web/search", url);
      // The API takes no more than 400 characters.
      address.search = new URLSearchParams({ q: query.slice(0, 400), count: String(limit) }).toString();
      const headers = { accept: "application/json", "x-subscription-token": key };
      const answer = await ask({ url: address.href, headers, signal }, { fetcher, engine, remedy });
      // A search without results has no part for those of the web.
      const web = isJsonObject(answer) ? (answer["web"] ?? { results: [] }) : undefined;
      return hitsOf(isJsonObject(web) ? web["results"] : undefined, {
        entry: Entry,
        hit: ({ url: found, title, description, extra_snippets: more, age }) => ({
          url: found,
          title: plain(title ?? ""),
          text: plain([description ?? "", ...(more ?? [])].filter((text) => text !== "").join(" … ")),
          ...(age == null ? {} : { date: age }),
        }),
        limit,
        engine,
      });
    },
  };
}

/** Texts of the API come with the words that were found in bold. */
const plain = (text: string): string => text.replaceAll(/<\/?strong>/g, "");
