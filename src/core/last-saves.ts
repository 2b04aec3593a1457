import { waitAtMost } from "../shared/async/deadline.ts";
import { toHostError } from "../shared/errors/host-error.ts";
import type { Services } from "./ports/services.ts";
import type { SessionActor } from "./session/session-actor.ts";
import type { WaitingLine } from "./turn/turn-room.ts";
import type { SubagentManager } from "./subagents/subagent-manager.ts";

/** Milliseconds in which what a host stores at its end has to be there; what is not is left to the next process. */
const SAVE_MS = 10_000;

/** The parts of a host that store something at its end. */
export interface ClosingHost {
  readonly services: Services;
  readonly subagents: SubagentManager;
  readonly sessions: () => readonly SessionActor[];
  /** Aborts when nothing is tried again any more. */
  readonly life: AbortController;
}

/** Waits until no turn runs, or is about to begin, that would be interrupted: one that only waits for answers is left open. */
export async function allRested(
  { room }: Pick<WaitingLine, "room">,
  sessions: ClosingHost["sessions"],
): Promise<void> {
  let hasWaited: boolean;
  do {
    await room.begun();
    // An answer may have come to one while another was waited for.
    hasWaited = (await Promise.all(sessions().map((actor) => actor.rested()))).includes(true);
  } while (hasWaited);
}

/** Stores the ends of what a host still does, and ends its life; a store that takes nothing does not keep it for ever. */
export async function saveAndEnd(host: ClosingHost, reason: string | undefined): Promise<void> {
  const { life } = host;
  const { clock } = host.services;
  const saving = saveAll(host, reason);
  await waitAtMost({ clock, ms: SAVE_MS }, () => saving);
  life.abort();
  // Who tried again has given up; a request on its way may be answered still.
  await waitAtMost({ clock, ms: SAVE_MS }, () => saving);
}

/** Stops driving all sessions, and returns their leases. */
export async function releaseAll(
  { services, sessions }: Pick<ClosingHost, "services" | "sessions">,
  reason: string | undefined,
): Promise<void> {
  const released = sessions().map((actor) => actor.release(reason));
  for (const outcome of await Promise.allSettled(released)) {
    if (outcome.status === "fulfilled") continue;
    const error = toHostError(outcome.reason);
    // A session that another process drives needs no release here.
    if (error.code !== "lease_lost") services.report(error);
  }
}

async function saveAll(host: ClosingHost, reason: string | undefined): Promise<void> {
  const { services, subagents } = host;
  await releaseAll(host, reason);
  // Parents are told how their subagents ended, as long as somebody can write.
  await subagents.idle();
  await services.closing().catch((thrown: unknown) => services.report(toHostError(thrown)));
}
