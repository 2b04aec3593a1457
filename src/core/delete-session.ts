import { toHostError } from "../shared/errors/host-error.ts";
import { sessionNotFound } from "./log/errors.ts";
import type { Services } from "./ports/services.ts";
import type { SessionActor } from "./session/session-actor.ts";
import type { SessionCache } from "./session/session-cache.ts";
import { childrenOf } from "./subagents/children.ts";

/** The parts of a host that deleting needs. */
interface DeletingHost {
  readonly services: Pick<Services, "store" | "checkpoints" | "report">;
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
  for (const childId of await childrenOf(store, record)) {
    // A branch's log names those of its source, too.
    const child = await store.record(childId);
    if (child?.state.parentId === id) await deleteSession(host, childId);
  }
  if (!(await store.remove(id))) throw sessionNotFound(id);
  // Somebody may have taken it up again meanwhile.
  for (const each of new Set([actor, sessions.peek(id)])) {
    each?.close();
    each?.log.markDeleted();
  }
  sessions.drop(id);
  await checkpoints?.forget(id).catch((thrown: unknown) => report(toHostError(thrown)));
}
