import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import { userOfBudget } from "../events/budget.ts";
import type { SessionState } from "./state.ts";

/** The process that drives a session or works on a record. `alive` is judged by who reads it. */
export interface Owner {
  readonly hostId: string;
  readonly pid: number;
  readonly alive: boolean;
}

/** The activity of a session right now; each wait names its cause. */
export type SessionStatus =
  | { readonly status: "idle" }
  | { readonly status: "working"; readonly since: number; readonly doing: string }
  | {
      readonly status: "waiting";
      readonly since: number;
      readonly cause: "approval" | "clarify" | "sudo" | "secret" | "retry" | "budget";
      /** Unix milliseconds, where it is known. */
      readonly until?: number;
      readonly requestId?: string;
    };

/**
 * The status of a session, honest about dead owners: a turn that nobody drives is not working.
 *
 * @param owner - who holds the lease, if anybody
 */
export function statusOf(state: SessionState, owner: Owner | undefined): SessionStatus {
  const { turn, questions, parked } = state;
  if (turn === undefined && parked !== undefined)
    return { status: "waiting", since: parked.since, cause: "budget" };
  if (turn === undefined) return { status: "idle" };
  const question = questions[0];
  if (question !== undefined && (owner === undefined || owner.alive)) {
    const { request, askedAt } = question;
    return { status: "waiting", since: askedAt, cause: CAUSES[request.type], requestId: request.requestId };
  }
  if (owner?.alive !== true) return { status: "idle" };
  if (turn.retryUntil !== undefined) {
    return { status: "waiting", since: turn.startedAt, cause: "retry", until: turn.retryUntil };
  }
  const running = turn.calls.find(({ status }) => status === "started");
  const since = running?.startedAt ?? turn.startedAt;
  return { status: "working", since, doing: running === undefined ? "model" : running.call.name };
}

/**
 * Why the newest turn of a session was interrupted, in a sentence for people; `undefined` when it was not, when it was
 * taken back, or when another one runs.
 */
export function interruptionOf({ turn, lastTurn, undone }: SessionState): string | undefined {
  if (turn !== undefined || lastTurn?.outcome !== "interrupted") return undefined;
  if (undone.some(({ from, to }) => lastTurn.to > from && lastTurn.to <= to)) return undefined;
  return lastTurn.reason ?? "The process that ran it ended.";
}

/**
 * Whether a turn that ended so waits for a budget, and with it all that is queued. In a channel of a chat others go on when
 * one person's is used up.
 */
export function isParkedBy(
  { platform, user }: Pick<SessionState, "platform" | "user">,
  error: ErrorRecord | undefined,
): boolean {
  if (error?.code !== "budget_exceeded") return false;
  return platform !== "chat" || user !== undefined || userOfBudget(error) === undefined;
}

const CAUSES = {
  "approval.request": "approval",
  "clarify.request": "clarify",
  "sudo.request": "sudo",
  "secret.request": "secret",
} as const;
