import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { Services } from "../ports/services.ts";
import { askOwner } from "./run-operation.ts";
import type { SessionActor } from "./session-actor.ts";
import { NOBODY } from "./submission.ts";

/** The command to whoever drives a session to let go of it, for it is to be deleted. */
export const LET_GO = "letGo";

/**
 * Lets the living process that drives a session, if it is another one, end what it does there and give its lease back.
 *
 * @throws HostError `session_busy` when it does not
 */
export async function askToLetGo(
  services: Pick<Services, "store" | "clock" | "hex">,
  session: string,
): Promise<void> {
  const { store } = services;
  const owner = (await store.record(session))?.owner;
  if (owner?.alive !== true || owner.hostId === store.hostId) return;
  try {
    await askOwner(services, { session, kind: LET_GO, input: {} });
  } catch (thrown) {
    const { code, message } = toHostError(thrown);
    if (code.startsWith("store_")) throw thrown;
    throw new HostError("session_busy", `Session ${session} is in use and was not let go of. ${message}`, {
      cause: thrown,
      details: { subject: session },
    });
  }
}

/**
 * Ends what a session does in this process. Its lease is given back with the answer: another process may delete it then.
 *
 * @throws HostError `session_busy` when a turn began meanwhile, `lease_lost`
 */
export async function letGo(actor: SessionActor, commandId: string): Promise<void> {
  const { log, writer, services } = actor;
  if (log.holdsLease) {
    const promptIds = log.state.queue.map(({ prompt }) => prompt.id);
    if (promptIds.length > 0) await actor.apply("drop", { promptIds });
    const turnId = `turn_${services.hex(8)}`;
    await actor.apply("interrupt", { from: NOBODY, keepQueue: true, turnId });
    await actor.settled();
  }
  await writer.transact(({ state, holdsLease }) => {
    if (!holdsLease)
      throw new HostError("lease_lost", `Session ${actor.id} is not driven by this process any more.`);
    if (state.turn !== undefined) throw new HostError("session_busy", "Another turn has begun there.");
    return { events: [], value: null, lease: "give" };
  }, commandId);
}
