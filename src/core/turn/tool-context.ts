import type { QuestionRequest } from "../events/question-events.ts";
import type { Answered } from "../questions/turn-questions.ts";
import type { ParentCall } from "./subagent-port.ts";
import type { ToolAnswer, ToolContext, ToolQuestion } from "../ports/tool.ts";
import { type TurnContext, turnState } from "./turn-context.ts";

/** How a running call reaches people. */
export interface QuestionAsker {
  ask(question: ToolQuestion): Promise<ToolAnswer>;
  /** Asks what a subagent of the call asks. */
  relay(request: QuestionRequest): Promise<Answered>;
}

const NOBODY_YET: ToolContext["ask"] = () =>
  Promise.resolve({ outcome: "refused", reason: "A tool cannot ask before it runs." });

/** What a tool gets to see of its session, and may do to it. */
export function toolContext(turn: TurnContext, callId: string, asking?: QuestionAsker): ToolContext {
  const { state, id } = turn.log;
  const { store, clock } = turn.services;
  const { files, terminals } = turn.attachments;
  const { platform, cwd, roots, todos } = state;
  const memoryScope = turn.writer.plannedState.turn?.prompt.memoryScope;
  return {
    session: {
      id,
      platform,
      cwd,
      roots,
      todos,
      ...(memoryScope === undefined ? {} : { memoryScope }),
    },
    turnId: turn.turnId,
    callId,
    signal: turn.signal,
    clock,
    ask: asking === undefined ? NOBODY_YET : (question) => asking.ask(question),
    ...(asking === undefined ? {} : { delegate: delegation(turn, callId, asking) }),
    ...(files === undefined ? {} : { files }),
    ...(terminals === undefined ? {} : { terminals }),
    putBlob: (bytes) => store.putBlob(bytes),
    getBlob: (hash) => store.getBlob(hash),
  };
}

function delegation(
  turn: TurnContext,
  callId: string,
  asking: QuestionAsker,
): NonNullable<ToolContext["delegate"]> {
  return (task) => {
    const parent: ParentCall = {
      sessionId: turn.log.id,
      callId,
      signal: turn.signal,
      questions: turnState(turn).prompt.questions,
      toolsets: turn.toolsets(),
      attachments: turn.attachments,
      ask: (request) => asking.relay(request),
    };
    return turn.subagents.run(parent, task);
  };
}
