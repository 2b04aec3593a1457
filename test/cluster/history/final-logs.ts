import type { Store, StoredRow } from "../../../src/core/index.ts";
import type { FinalLog } from "./history.ts";

/** The whole logs of sessions, as a store has them. */
export async function finalLogs(
  store: Pick<Store, "read">,
  sessions: Iterable<string>,
): Promise<readonly FinalLog[]> {
  const logs: FinalLog[] = [];
  for (const session of sessions) {
    const rows: StoredRow[] = [];
    for (let more = true; more;) {
      const page = await store.read(session, { after: rows.at(-1)?.seq ?? 0, limit: 1000 });
      rows.push(...(page?.rows ?? []));
      more = page?.more ?? false;
    }
    if (rows.length > 0) logs.push({ session, rows });
  }
  return logs;
}
