import { z } from "zod";
import { isJsonObject } from "../../../shared/json/json.ts";
import type { WebFetcher } from "../ports.ts";
import { ask, hitsOf } from "./ask.ts";
import type { SearchEngine } from "./search-engine.ts";

const Entry = z.object({
  url: z.string(),
  title: z.string().nullish(),
  content: z.string().nullish(),
  publishedDate: z.string().nullish(),
});

/**
 * A SearXNG instance, by its search API.
 *
 * @param url - of the instance; `/search` below it answers
 * @see https://docs.searxng.org/dev/search_api.html
 */
export function searxng(fetcherTo: (url: string) => WebFetcher, url: string): SearchEngine {
  const engine = "SearXNG";
  const remedy =
    "Its settings.yml must list json under search.formats, and its limiter must let this host through.";
  const fetcher = fetcherTo(url);
  return {
    name: engine,
    async search({ query, limit, signal }) {
      const address = new URL("search", url.endsWith("/") ? url : `${url}/`);
      address.search = new URLSearchParams({ q: query, format: "json" }).toString();
      const answer = await ask({ url: address.href, signal }, { fetcher, engine, remedy });
      return hitsOf(isJsonObject(answer) ? answer["results"] : undefined, {
        entry: Entry,
        hit: ({ url: found, title, content, publishedDate }) => ({
          url: found,
          title: title ?? "",
          text: content ?? "",
          ...(publishedDate == null ? {} : { date: publishedDate }),
        }),
        limit,
        engine,
      });
    },
  };
}
