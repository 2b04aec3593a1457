import type { Host } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";

/** The place where a conversation continues. */
export interface Continuation {
  readonly sessionId: string;
  readonly after: number;
  /** It holds only while this turn is the session's newest. */
  readonly onlyAfter?: string;
}

/**
 * Finds where to continue from a response: in its session while nothing has come after it, else in a branch that ends
 * with it.
 *
 * @param hidden - always make a branch, which lists leave out: the new response is not to be stored
 */
export async function continueFrom(
  host: Host,
  { responses, previous }: { readonly responses: ResponseStore; readonly previous: StoredResponse },
  hidden: boolean,
): Promise<Continuation> {
  const answer = await responses.answerOf(previous);
  const { sessionId } = previous.ref;
  const session = await host.session(sessionId);
  const { turn, queue, lastTurn, seq } = session.state;
  const isNewest = turn === undefined && queue.length === 0 && lastTurn?.turnId === answer.turnId;
  if (!hidden && answer.outcome === undefined) return { sessionId, after: seq };
  if (!hidden && isNewest && answer.turnId !== undefined)
    return { sessionId, after: seq, onlyAfter: answer.turnId };
  const at = answer.turnId === undefined ? undefined : answer.seq;
  return await branchAfter(host, { previous, at }, hidden);
}

/** Copies the conversation up to a response. */
export async function branchAfter(
  host: Host,
  { previous, at }: { readonly previous: StoredResponse; readonly at: number | undefined },
  hidden: boolean,
): Promise<Continuation> {
  const branch = await host.branch(previous.ref.sessionId, { hidden, ...defined({ at }) });
  return { sessionId: branch.id, after: branch.state.seq };
}
