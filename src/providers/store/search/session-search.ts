import type {
  PersonUsage,
  PersonUsageQuery,
  TextHit,
  SearchPage,
  TextQuery,
  SessionRecord,
  UsageQuery,
  UsageReport,
} from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { SearchBackend } from "./search-messages.ts";

/** Milliseconds for which a question first reads what is missing in the index. */
const MS = 25;
/** Parts that are looked through for the first place, where hardly any session with the words may be shown. */
const MOST_PARTS = 20;

/** The parts that a search is made of. */
export interface SessionSearchParts {
  readonly backend: SearchBackend;
  readonly record: (id: string) => Promise<SessionRecord | undefined>;
}

/** Finds sessions: the index tells which, and the store what they are now. */
export async function findInSessions(
  { backend, record }: SessionSearchParts,
  query: TextQuery,
): Promise<SearchPage> {
  let { cursor } = query;
  for (let part = 1; ; part += 1) {
    const page = await backend.call("search", { query: defined({ ...query, cursor }), ms: MS });
    const records = await Promise.all(page.hits.map(({ id }) => record(id)));
    const hits = page.hits.flatMap(({ place, places }, at): readonly TextHit[] => {
      const session = records[at];
      return session === undefined ? [] : [{ session, place, places }];
    });
    cursor = page.cursor;
    if (hits.length > 0 || cursor === undefined || part >= MOST_PARTS) return { ...page, hits };
  }
}

/** Adds up what was used. */
export const addUpUsage = (backend: SearchBackend, query: UsageQuery): Promise<UsageReport> =>
  backend.call("usage", { query, ms: MS });

/** Adds up what people used. */
export const addUpPeople = (
  backend: SearchBackend,
  query: PersonUsageQuery,
): Promise<readonly PersonUsage[]> => backend.call("personUsage", { query, ms: MS });
