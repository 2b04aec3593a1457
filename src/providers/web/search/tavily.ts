import { z } from "zod";
import { defined } from "../../../shared/json/defined.ts";
import type { WebFetcher } from "../ports.ts";
import { engineOf } from "./ask.ts";
import type { SearchEngine } from "./search-engine.ts";

const entry = () =>
  z
    .object({
      url: z.string(),
      title: z.string().nullish(),
      content: z.string().nullish(),
      published_date: z.string().nullish(),
    })
    .transform(({ url, title, content, published_date: date }) => ({
      url,
      title: title ?? "",
      text: content ?? "",
      ...defined({ date: date ?? undefined }),
    }));

const URL_OF_API = "https://api.tavily.com/";

/**
 * Tavily, by its search API.
 *
 * @param url - of a proxy in front of the API; the vendor's by default
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
export const tavily = (fetcherTo: (url: string) => WebFetcher, key: string, url = URL_OF_API): SearchEngine =>
  engineOf({
    name: "Tavily",
    remedy: "Check the key: TAVILY_API_KEY in .env, or the variable that web.search.key_env names.",
    fetcher: fetcherTo(url),
    entry,
    request: ({ query, limit }) => ({
      url: new URL("/search", url).href,
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: limit }),
    }),
  });
