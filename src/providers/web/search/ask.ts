import type { z } from "zod";
import { HostError } from "../../../shared/errors/host-error.ts";
import { isJsonObject, parseForeignJson } from "../../../shared/json/json.ts";
import type { WebAnswer, WebFetcher, WebRequest } from "../ports.ts";
import type { SearchEngine, SearchHit, SearchQuery } from "./search-engine.ts";

/** The API of a search engine. */
export interface EngineApi {
  /** As people know it. */
  readonly name: string;
  /** What helps when the key, or the right to ask at all, is refused. */
  readonly remedy: string;
  readonly fetcher: WebFetcher;
  request(query: SearchQuery): Pick<WebRequest, "url" | "method" | "headers" | "body">;
  /** The list of results in an answer, which is in the answer's `results` where nothing else is said. */
  readonly results?: (answer: Readonly<Record<string, unknown>>) => unknown;
  readonly entry: () => z.ZodType<SearchHit>;
}

const LARGEST = 5 * 2 ** 20;
const TIMEOUT_MS = 30_000;

/** Makes a search engine of its API. Entries of its answers that are no results are left out. */
export function engineOf(api: EngineApi): SearchEngine {
  const { name, entry, results = (answer) => answer["results"] } = api;
  return {
    name,
    async search(query) {
      const answer = await ask(api, query);
      const found = isJsonObject(answer) ? results(answer) : undefined;
      if (!Array.isArray(found))
        throw new HostError("fetch_failed", `${name} answered without a list of results.`);
      const schema = entry();
      const hits = found.flatMap((raw: unknown) => schema.safeParse(raw).data ?? []);
      return hits.filter(({ url }) => /^https?:\/\//i.test(url)).slice(0, query.limit);
    },
  };
}

async function ask(api: EngineApi, query: SearchQuery): Promise<unknown> {
  const { signal } = query;
  const limits = { signal, maxBytes: LARGEST, timeoutMs: TIMEOUT_MS };
  const answer = await api.fetcher.fetch({ ...api.request(query), ...limits });
  if (answer.status !== 200) throw refusal(answer, api);
  const text = new TextDecoder().decode(answer.bytes);
  try {
    return parseForeignJson(text);
  } catch (cause) {
    const what = /^\s*</.test(text) ? "a web page" : "something that is no JSON";
    throw new HostError("fetch_failed", `${api.name} answered with ${what}. ${api.remedy}`, { cause });
  }
}

function refusal({ status, headers }: WebAnswer, { name, remedy }: EngineApi): HostError {
  const wait = Number(headers["retry-after"] ?? "");
  const details = { status, ...(wait > 0 ? { retryAfterMs: wait * 1000 } : {}) };
  const when = wait > 0 ? `in ${wait} s` : "later";
  return new HostError("fetch_failed", `${name} ${refusalText(status, { remedy, when })}`, { details });
}

function refusalText(
  status: number,
  { remedy, when }: { readonly remedy: string; readonly when: string },
): string {
  switch (status) {
    case 401:
    case 403:
      return `refused the search (${status}). ${remedy}`;
    case 402:
    case 432:
    case 433:
      return `refused the search (${status}): the plan's searches are used up.`;
    case 429:
      return `has had too many searches (429). Try again ${when}.`;
    default:
      return status >= 500
        ? `has failed (${status}). Try again ${when}.`
        : `did not take the search (${status}).`;
  }
}
