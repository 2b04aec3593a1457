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
      publishedDate: z.string().nullish(),
    })
    .transform(({ url, title, content, publishedDate }) => ({
      url,
      title: title ?? "",
      text: content ?? "",
      ...defined({ date: publishedDate ?? undefined }),
    }));

/**
 * A SearXNG instance, by its search API.
 *
 * @param url - of the instance; `/search` below it answers
 * @see https://docs.searxng.org/dev/search_api.html
 */
export const searxng = (fetcherTo: (url: string) => WebFetcher, url: string): SearchEngine =>
  engineOf({
    name: "SearXNG",
    remedy:
      "Its settings.yml must list json under search.formats, and its limiter must let this host through.",
    fetcher: fetcherTo(url),
    entry,
    request({ query }) {
      const address = new URL("search", url.endsWith("/") ? url : `${url}/`);
      address.search = new URLSearchParams({ q: query, format: "json" }).toString();
      return { url: address.href };
    },
  });
