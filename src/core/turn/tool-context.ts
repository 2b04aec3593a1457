import { defined } from "../../shared/json/defined.ts";
import { mayReach } from "../questions/reached-hosts.ts";
import type { QuestionRequest } from "../events/question-events.ts";
import type { Answered } from "../questions/turn-questions.ts";
import type { ParentCall } from "./subagent-port.ts";
import type { ToolAnswer, ToolContext, ToolQuestion } from "../ports/tool.ts";
import { type TurnContext, turnState } from "./turn-context.ts";

/** The way from a running call to people. */
export interface QuestionAsker {
  ask(question: ToolQuestion): Promise<ToolAnswer>;
  /** Asks what a subagent of the call asks. */
  relay(request: QuestionRequest): Promise<Answered>;
}

const NOBODY: ToolContext["from"] = { surface: "" };

const REFUSED: ToolContext["ask"] = () =>
  Promise.resolve({ outcome: "refused", reason: "A tool cannot ask before it runs." });

/** Makes the context of a tool: what it gets to see of its session, and may do to it. */
export function toolContext(turn: TurnContext, callId: string, asker?: QuestionAsker): ToolContext {
  const { state, id } = turn.log;
  const { store, clock } = turn.services;
  const { files, terminals, columns } = turn.preamble.attachments;
  const { platform, source, cwd, roots, todos } = state;
  const { turn: running, persona } = turn.writer.plannedState;
  const { from = NOBODY, memoryScope } = running?.prompt ?? {};
  return {
    session: {
      id,
      platform,
      source,
      cwd,
      roots,
      todos,
      ...defined({ memoryScope, persona }),
    },
    turnId: turn.turnId,
    callId,
    from,
    signal: turn.signal,
    clock,
    ask: asker === undefined ? REFUSED : (question) => asker.ask(question),
    ...defined({ delegate: asker && delegation(turn, callId, asker), files, terminals, columns }),
    mayReach: (host) => mayReach(host, turn.log.state, turn.services.policy().approvals),
    putBlob: (bytes) => store.putBlob(bytes),
    getBlob: (hash) => store.getBlob(hash),
  };
}

function delegation(
  turn: TurnContext,
  callId: string,
  asker: QuestionAsker,
): NonNullable<ToolContext["delegate"]> {
  return (task) => {
    const parent: ParentCall = {
      sessionId: turn.log.id,
      callId,
      signal: turn.signal,
      questions: turnState(turn).prompt.questions,
      toolsets: turn.preamble.toolsetNames(),
      attachments: turn.preamble.attachments,
      ask: (request) => asker.relay(request),
    };
    return turn.subagents.run(parent, task);
  };
}
