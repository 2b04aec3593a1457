import type { Owner, SessionRecord } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { SessionEntry, StoreBackend } from "./operations.ts";
import { decodeStateEntry } from "./state-entry.ts";

/** Gives a session's entry with the state that its rows have, as far as it can be made anew; `undefined` when it is gone. */
export async function freshEntry(
  backend: StoreBackend,
  found: SessionEntry,
): Promise<SessionEntry | undefined> {
  let entry: SessionEntry | undefined = found;
  // More than once only when a process of another version keeps writing the session.
  for (let tries = 0; entry?.stale === true && tries < 3; tries += 1) {
    while (!(await backend.call("rebuildState", { session: found.id })));
    await backend.call("saveRebuiltState", { session: found.id });
    entry = await backend.call("findSession", { session: found.id });
  }
  return entry;
}

/** The record of an entry, as the core knows it. */
export const recordOf = (
  { id, state, stale, damaged }: SessionEntry,
  owner: Owner | undefined,
): SessionRecord => defined({ id, state: decodeStateEntry(state), damaged: damaged || stale, owner });
