import type { ToolAnswer, ToolContext, ToolQuestion } from "./tool.ts";
import type { TurnContext } from "./turn-context.ts";

const NOBODY_YET: ToolContext["ask"] = () =>
  Promise.resolve({ outcome: "refused", reason: "A tool cannot ask before it runs." });

/** What a tool gets to see of its session, and may do to it. */
export function toolContext(
  turn: TurnContext,
  callId: string,
  ask: (question: ToolQuestion) => Promise<ToolAnswer> = NOBODY_YET,
): ToolContext {
  const { state, id } = turn.log;
  const { store, clock } = turn.services;
  const { files, terminals } = turn.attached;
  return {
    session: { id, platform: state.platform, cwd: state.cwd, roots: state.roots, todos: state.todos },
    turnId: turn.turnId,
    callId,
    signal: turn.signal,
    clock,
    ask,
    ...(files === undefined ? {} : { files }),
    ...(terminals === undefined ? {} : { terminals }),
    putBlob: (bytes) => store.putBlob(bytes),
    getBlob: (hash) => store.getBlob(hash),
  };
}
