import { z } from "zod";
import { isJsonObject } from "../../../shared/json/json.ts";
import type { WebFetcher } from "../ports.ts";
import { ask, hitsOf } from "./ask.ts";
import type { SearchEngine } from "./search-engine.ts";

const Entry = z.object({
  url: z.string(),
  title: z.string().nullish(),
  content: z.string().nullish(),
  published_date: z.string().nullish(),
});

const URL_OF_API = "https://api.tavily.com/";

/**
 * Tavily, by its search API.
 *
 * @param url - of a proxy in front of the API; the vendor's by default
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
export function tavily(fetcherTo: (url: string) => WebFetcher, key: string, url = URL_OF_API): SearchEngine {
  const engine = "Tavily";
  const remedy = "Check the key: TAVILY_API_KEY in .env, or the variable that web.search.key_env names.";
  const fetcher = fetcherTo(url);
  return {
    name: engine,
    async search({ query, limit, signal }) {
      const request = {
        url: new URL("/search", url).href,
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ query, max_results: limit }),
        signal,
      } as const;
      const answer = await ask(request, { fetcher, engine, remedy });
      return hitsOf(isJsonObject(answer) ? answer["results"] : undefined, {
        entry: Entry,
        hit: ({ url: found, title, content, published_date: date }) => ({
          url: found,
          title: title ?? "",
          text: content ?? "",
          ...(date == null ? {} : { date }),
        }),
        limit,
        engine,
      });
    },
  };
}
