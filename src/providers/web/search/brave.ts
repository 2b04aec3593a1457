import { z } from "zod";
import { isJsonObject } from "../../../shared/json/json.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { WebFetcher } from "../ports.ts";
import { engineOf } from "./ask.ts";
import type { SearchEngine } from "./search-engine.ts";

const entry = () =>
  z
    .object({
      url: z.string(),
      title: z.string().nullish(),
      description: z.string().nullish(),
      extra_snippets: z.array(z.string()).nullish(),
      age: z.string().nullish(),
    })
    .transform(({ url, title, description, extra_snippets: more, age }) => ({
      url,
      title: plain(title ?? ""),
      text: plain([description ?? "", ...(more ?? [])].filter((text) => text !== "").join(" … ")),
      ...defined({ date: age ?? undefined }),
    }));

const URL_OF_API = "https://api.search.brave.com/";

/**
 * Brave Search, by its web search API.
 *
 * @param url - of a proxy in front of the API; the vendor's by default
 * @see https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
 */
export const brave = (fetcherTo: (url: string) => WebFetcher, key: string, url = URL_OF_API): SearchEngine =>
  engineOf({
    name: "Brave Search",
    remedy:
      "Check the key and its plan: BRAVE_SEARCH_API_KEY in .env, or the variable that web.search.key_env names.",
    fetcher: fetcherTo(url),
    entry,
    request({ query, limit }) {
      const address = new URL("/res/v1/web/search", url);
      // The API takes no more than 400 characters.
      address.search = new URLSearchParams({ q: query.slice(0, 400), count: String(limit) }).toString();
      return { url: address.href, headers: { accept: "application/json", "x-subscription-token": key } };
    },
    // A search without results has no part for those of the web.
    results({ web }) {
      const part = web ?? { results: [] };
      return isJsonObject(part) ? part["results"] : undefined;
    },
  });

/** Texts of the API come with the words that were found in bold. */
const plain = (text: string): string => text.replaceAll(/<\/?strong>/g, "");
