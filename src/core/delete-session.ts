import { toHostError } from "../shared/errors/host-error.ts";
import { sessionNotFound } from "./log/errors.ts";
import type { Services } from "./ports/services.ts";
import { askToLetGo } from "./session/let-go.ts";
import type { SessionActor } from "./session/session-actor.ts";
import type { SessionCache } from "./session/session-cache.ts";
import { childrenOf } from "./subagents/children.ts";

/** Tries to remove a session: somebody else may take it up again meanwhile. */
const ATTEMPTS = 3;

/** The parts of a host that deleting needs. */
interface DeletingHost {
  readonly services: Pick<Services, "store" | "clock" | "hex" | "checkpoints" | "report">;
  readonly sessions: SessionCache<SessionActor>;
}

/** Deletes a session with all that belongs to it; see `Host.delete`. */
export async function deleteSession(host: DeletingHost, id: string): Promise<void> {
  const { services, sessions } = host;
  const { store, checkpoints, report } = services;
  const actor = sessions.get(id);
  if (actor !== undefined) await actor.release();
  const record = await store.record(id);
  if (record === undefined) throw sessionNotFound(id);
  await askToLetGo(services, id);
  for (const childId of await childrenOf(store, record)) {
    // A branch's log names those of its source, too.
    const child = await store.record(childId);
    if (child?.state.parentId === id) await deleteSession(host, childId);
  }
  if (!(await remove(services, id))) throw sessionNotFound(id);
  // Somebody may have taken it up again meanwhile.
  for (const each of new Set([actor, sessions.peek(id)])) {
    each?.close();
    each?.log.markDeleted();
  }
  sessions.drop(id);
  await checkpoints?.forget(id).catch((thrown: unknown) => report(toHostError(thrown)));
}

/** Removes it from the store as soon as no other process drives it. @throws HostError `session_busy` */
async function remove(services: DeletingHost["services"], id: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await services.store.remove(id);
    } catch (thrown) {
      if (toHostError(thrown).code !== "session_busy" || attempt >= ATTEMPTS) throw thrown;
    }
    await askToLetGo(services, id);
  }
}
