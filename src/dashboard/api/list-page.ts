import type { HttpContext } from "../../http/server/context.ts";
import { countOf } from "../../http/server/decode.ts";

/** The wanted page of a list. */
export interface WantedPage {
  /** The `next` of the page before; absent for the first one. */
  readonly after?: number;
  readonly limit: number;
}

const LIMIT = { otherwise: 50, most: 1000 } as const;
const POSITION = { otherwise: 0, most: Number.MAX_SAFE_INTEGER } as const;

/** The query of a route whose answer is a page. */
export const PAGE_QUERY = ["after", "limit"] as const;

/** Reads which page of a list a request wants. */
export function wantedPage(c: HttpContext): WantedPage {
  const limit = Math.max(1, countOf(c.req.query("limit"), LIMIT));
  const after = c.req.query("after");
  return after === undefined ? { limit } : { limit, after: countOf(after, POSITION) };
}

/**
 * Takes a page out of a list that is there as a whole. Its cursor is the name of the last entry before it, so that what
 * goes away meanwhile moves nothing.
 *
 * @param all - sorted by name, as far as names are not told apart by an id at their end
 */
export function pageOfNames<T>(
  c: HttpContext,
  all: readonly T[],
  nameOf: (value: T) => string,
): { readonly data: readonly T[]; readonly next?: string } {
  const { limit } = wantedPage(c);
  const after = c.req.query("after");
  const rest = after === undefined ? all : entriesAfter(all, after, nameOf);
  const data = rest.slice(0, limit);
  const last = data.at(-1);
  return rest.length > limit && last !== undefined ? { data, next: nameOf(last) } : { data };
}

function entriesAfter<T>(all: readonly T[], after: string, nameOf: (value: T) => string): readonly T[] {
  const at = all.findIndex((value) => nameOf(value) === after);
  return at === -1 ? all.filter((value) => nameOf(value) > after) : all.slice(at + 1);
}

/** Says whether one of some texts has the words of a filter, in any case of letters. */
export const hasWords = (filter: string, texts: readonly string[]): boolean => {
  const wanted = filter.trim().toLowerCase();
  return wanted === "" || texts.some((text) => text.toLowerCase().includes(wanted));
};
