import { decodeRow } from "../log/row-codec.ts";
import type { SessionState } from "../state/state.ts";
import type { Store } from "../ports/store.ts";

const PAGE_ROWS = 500;

/** The sessions that were made to work for a session, as its log names them; those of subagents' own are among them. */
export async function childrenOf(
  store: Store,
  { id, state }: { readonly id: string; readonly state: Pick<SessionState, "counts"> },
): Promise<ReadonlySet<string>> {
  const children = new Set<string>();
  for (let after = 0; state.counts.children > children.size;) {
    const page = await store.read(id, { after, limit: PAGE_ROWS });
    for (const row of page?.rows ?? []) {
      const { event } = decodeRow(row);
      if (event.type === "subagent.start" || event.type === "background.start") children.add(event.childId);
      after = row.seq;
    }
    if (page?.more !== true) break;
  }
  return children;
}
