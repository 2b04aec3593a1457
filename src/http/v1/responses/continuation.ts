import type { Host } from "../../../core/index.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";

/** Where a conversation goes on. */
export interface Continuation {
  readonly sessionId: string;
  readonly after: number;
  /** Taken only while this turn is the session's newest. */
  readonly onlyAfter?: string;
}

/**
 * Where to go on from a response: in its session while nothing has come after it, else in a branch that ends with it.
 * What is not to be stored always gets a branch, out of everybody's sight.
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
  return await branchAfter(
    host,
    { previous, at: answer.turnId === undefined ? undefined : answer.seq },
    hidden,
  );
}

/** A copy of the conversation up to a response. */
export async function branchAfter(
  host: Host,
  { previous, at }: { readonly previous: StoredResponse; readonly at: number | undefined },
  hidden: boolean,
): Promise<Continuation> {
  const branch = await host.branch(previous.ref.sessionId, { hidden, ...(at === undefined ? {} : { at }) });
  return { sessionId: branch.id, after: branch.state.seq };
}
