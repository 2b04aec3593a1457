import { errorRecord, HostError, toHostError } from "../../shared/errors/host-error.ts";
import { cleanJson } from "../../shared/json/json.ts";
import type { Services } from "../ports/services.ts";
import type { Command, CommandResult } from "../ports/store.ts";
import { LET_GO, letGo } from "./let-go.ts";
import { type OperationInput, type OperationName, OPERATIONS } from "./operations.ts";
import type { SessionActor } from "./session-actor.ts";

/** The parts of the host that a command is carried out with. */
export interface CarryOutPorts {
  readonly services: Services;
  /** The session with this id, in this process's memory from now on. */
  readonly actor: (id: string) => Promise<SessionActor>;
}

/**
 * Carries out a command of another process on a session that this one drives, and sees that it is answered. Never
 * rejects.
 */
export async function carryOut(
  { id, session, kind, payload }: Command,
  { services, actor }: CarryOutPorts,
): Promise<void> {
  try {
    if (kind === LET_GO) return await letGo(await actor(session), id);
    if (!isOperation(kind))
      throw new HostError("invalid_params", `There is no operation ${kind}; update this process.`);
    // Written by the same operation's caller in another process of this home.
    const input = cleanJson(JSON.parse(payload)) as OperationInput<typeof kind>;
    await (await actor(session)).apply(kind, input, id);
  } catch (thrown) {
    // Whoever takes the session over is given the command too, unless it was carried out after all.
    if (thrown instanceof HostError && thrown.code === "lease_lost" && thrown.details.uncertain) return;
    const report = (error: unknown): void => services.report(toHostError(error));
    await services.store.answer([errorResult(id, thrown)]).catch(report);
  }
}

const isOperation = (kind: string): kind is OperationName => Object.hasOwn(OPERATIONS, kind);

const errorResult = (id: string, thrown: unknown): CommandResult => ({
  id,
  ok: false,
  body: JSON.stringify(errorRecord(toHostError(thrown))),
});
