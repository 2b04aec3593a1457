import type { HttpContext } from "../../server/context.ts";
import { badRequest } from "../../server/http-error.ts";
import type { Item } from "./items.ts";

/** The page of items that a request asks for. */
export interface ItemPage {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** The item before the first one. */
  readonly after: string | undefined;
  /** Images are sent too, as data URLs. */
  readonly images: boolean;
}

/** The query of a list of items. */
export const ITEM_PAGE_QUERY = ["limit", "order", "after", "include"] as const;

const IMAGES = "message.input_image.image_url";
const MOST = 100;

/** @throws HttpError 400 */
export function readItemPage(c: HttpContext): ItemPage {
  const { limit = "20", order = "desc", after } = c.req.query();
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MOST)
    throw badRequest(`'limit' must be a number from 1 to ${MOST}.`, "limit");
  if (order !== "asc" && order !== "desc") throw badRequest("'order' must be asc or desc.", "order");
  const include = [...(c.req.queries("include") ?? []), ...(c.req.queries("include[]") ?? [])];
  return { limit: Number(limit), order, after, images: include.includes(IMAGES) };
}

/**
 * Gives a page of items.
 *
 * @param all - oldest first
 * @param encode - called only for those that are shown
 * @throws HttpError 400
 */
export async function encodeItemPage<T extends { readonly id: string }>(
  all: readonly T[],
  page: ItemPage,
  encode: (item: T) => Item | Promise<Item>,
) {
  const ordered = page.order === "asc" ? all : all.toReversed();
  const from = page.after === undefined ? 0 : 1 + ordered.findIndex(({ id }) => id === page.after);
  if (page.after !== undefined && from === 0)
    throw badRequest(`There is no item ${JSON.stringify(page.after)} in this list.`, "after");
  const data: Item[] = [];
  for (const item of ordered.slice(from, from + page.limit)) data.push(await encode(item));
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + page.limit < ordered.length,
  };
}
