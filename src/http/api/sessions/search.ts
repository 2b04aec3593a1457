import { defined } from "../../../shared/json/defined.ts";
import type { HttpContext } from "../../server/context.ts";
import { switchOf } from "../../server/decode.ts";
import { badRequest } from "../../server/http-error.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { encodeSession, lineageRoots } from "./encode.ts";
import { readListPage } from "./request.ts";

/**
 * `GET /api/sessions?search=`: the sessions in which all words stand, each with its best place.
 *
 * @throws HttpError 400 for an offset or a title beside it; HostError `invalid_params`
 */
export async function findSessionsByText(
  c: HttpContext,
  { host }: ApiContext,
  words: string,
): Promise<Response> {
  const { limit, offset } = readListPage(c);
  const { source, title, cursor } = c.req.query();
  if (offset > 0)
    throw badRequest(
      "A search is paged with 'cursor', not 'offset': pass the next_cursor of the page before.",
      "offset",
    );
  if (title) throw badRequest("A search looks through titles, too: leave 'title' out, or 'search'.", "title");
  const page = await host.search({
    words,
    limit,
    includeChildren: switchOf(c.req.query("include_children"), false),
    ...defined({ source: source || undefined, cursor: cursor || undefined }),
  });
  const { services } = host;
  const rootOf = lineageRoots(host);
  const data = await Promise.all(
    page.hits.map(async ({ session, place, places }) => {
      const { kind, seq, at, turnId, text, marks } = place;
      return {
        ...encodeSession(session, { services, root: await rootOf(session) }),
        match: { kind, seq, timestamp: at / 1000, ...defined({ turn_id: turnId }), text, marks, places },
      };
    }),
  );
  const next = defined({ next_cursor: page.cursor });
  const has_more = page.cursor !== undefined;
  return c.json({ object: "list", data, limit, offset: 0, has_more, ...next, complete: page.complete });
}
