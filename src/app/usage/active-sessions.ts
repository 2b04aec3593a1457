import type { SessionRecord, Store } from "../../core/index.ts";

/** Sessions that are in memory at once. */
const PAGE = 100;

/**
 * Goes through all sessions of a home in which something happened, subagents' and hidden ones too; those that cannot be
 * read are among them, however old.
 *
 * @param since - Unix milliseconds
 */
export async function* activeSessions(
  store: Pick<Store, "list">,
  since: number,
): AsyncGenerator<SessionRecord, void> {
  const all = {
    includeChildren: true,
    includeHidden: true,
    includeEmpty: true,
    archived: "include",
  } as const;
  // A session that works meanwhile moves to the beginning of the list, and another one comes twice.
  const seen = new Set<string>();
  for (let offset = 0; ; offset += PAGE) {
    const records = await store.list({ ...all, limit: PAGE, offset });
    for (const record of records) {
      if (record.state.activeAt < since && !record.damaged) return;
      if (seen.has(record.id)) continue;
      seen.add(record.id);
      yield record;
    }
    if (records.length < PAGE) return;
  }
}
