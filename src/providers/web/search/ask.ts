import type { z } from "zod";
import { HostError } from "../../../shared/errors/host-error.ts";
import { parseForeignJson } from "../../../shared/json/json.ts";
import type { WebAnswer, WebFetcher, WebRequest } from "../ports.ts";
import type { SearchHit } from "./search-engine.ts";

/** A request to a search engine, with the meaning of its refusals. */
export interface EngineRequest {
  readonly fetcher: WebFetcher;
  readonly engine: string;
  /** What helps when the key, or the right to ask at all, is refused. */
  readonly remedy: string;
}

const LARGEST = 5 * 2 ** 20;
const TIMEOUT_MS = 30_000;

/**
 * Asks a search engine and gives its JSON.
 *
 * @throws HostError `fetch_failed` for refusals and broken answers, with what to do; `fetch_refused`, `interrupted`
 */
export async function ask(
  request: Pick<WebRequest, "url" | "method" | "headers" | "body" | "signal">,
  asking: EngineRequest,
): Promise<unknown> {
  const answer = await asking.fetcher.fetch({ ...request, maxBytes: LARGEST, timeoutMs: TIMEOUT_MS });
  if (answer.status !== 200) throw refusal(answer, asking);
  const text = new TextDecoder().decode(answer.bytes);
  try {
    return parseForeignJson(text);
  } catch (cause) {
    const what = /^\s*</.test(text) ? "a web page" : "something that is no JSON";
    throw new HostError("fetch_failed", `${asking.engine} answered with ${what}. ${asking.remedy}`, {
      cause,
    });
  }
}

function refusal({ status, headers }: WebAnswer, { engine, remedy }: EngineRequest): HostError {
  const wait = Number(headers["retry-after"] ?? "");
  const details = { status, ...(wait > 0 ? { retryAfterMs: wait * 1000 } : {}) };
  const when = wait > 0 ? `in ${wait} s` : "later";
  switch (status) {
    case 401:
    case 403:
      return new HostError("fetch_failed", `${engine} refused the search (${status}). ${remedy}`, {
        details,
      });
    case 402:
    case 432:
    case 433:
      return new HostError(
        "fetch_failed",
        `${engine} refused the search (${status}): the plan's searches are used up.`,
        { details },
      );
    case 429:
      return new HostError("fetch_failed", `${engine} has had too many searches (429). Try again ${when}.`, {
        details,
      });
    default: {
      const what =
        status >= 500 ? `has failed (${status}). Try again ${when}` : `did not take the search (${status})`;
      return new HostError("fetch_failed", `${engine} ${what}.`, { details });
    }
  }
}

/** The results in an answer; entries that are none are left out. @throws HostError `fetch_failed` */
export function hitsOf<Entry>(
  found: unknown,
  {
    entry,
    hit,
    limit,
    engine,
  }: {
    readonly entry: z.ZodType<Entry>;
    readonly hit: (entry: Entry) => SearchHit;
    readonly limit: number;
    readonly engine: string;
  },
): readonly SearchHit[] {
  if (!Array.isArray(found))
    throw new HostError("fetch_failed", `${engine} answered without a list of results.`);
  const hits = found.flatMap((raw: unknown) => {
    const parsed = entry.safeParse(raw);
    return parsed.success && /^https?:\/\//i.test(hit(parsed.data).url) ? [hit(parsed.data)] : [];
  });
  return hits.slice(0, limit);
}
