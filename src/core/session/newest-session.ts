import type { Platform } from "../events/prompt.ts";
import type { SessionRecord, Store } from "../ports/store.ts";

/** Platforms whose sessions nobody talks in: a person does not go on in one by itself. */
const UNATTENDED: ReadonlySet<Platform> = new Set(["webhook", "job"]);
/** So many of the newest sessions are looked at. */
const LOOKED_AT = 50;

/** The session of a folder, or of any, in which a person was last; `undefined` when there is none. */
export async function newestSession(store: Store, cwd?: string): Promise<SessionRecord | undefined> {
  const newest = await store.list({ limit: LOOKED_AT, offset: 0, ...(cwd === undefined ? {} : { cwd }) });
  return newest.find(({ state, damaged }) => !damaged && !UNATTENDED.has(state.platform));
}
