import type { SessionEvent } from "../events/events.ts";
import { isQuestion, type QuestionRequest, type QuestionResolved } from "../events/question-events.ts";
import type { SubagentReporter } from "./subagent-reporter.ts";

/** The handlers of the events of a subagent's session. */
export interface ChildEventHandlers {
  readonly reporter: SubagentReporter;
  readonly onQuestion: (request: QuestionRequest) => void;
  readonly onResolved: (resolved: QuestionResolved) => void;
}

/** Passes an event of a subagent's session to whom it concerns at the parent, which is told nothing of most. */
export function handleChildEvent(event: SessionEvent, { reporter, ...handlers }: ChildEventHandlers): void {
  if ("resolution" in event) return handlers.onResolved(event);
  if (isQuestion(event)) {
    const { seq: _seq, at: _at, ...request } = event;
    return handlers.onQuestion(request);
  }
  switch (event.type) {
    case "reasoning.delta":
      return reporter.onReasoning(event);
    case "reply.complete":
      return reporter.onReply(event);
    case "tool.start":
      return reporter.onToolStart(event);
    case "tool.complete":
      return reporter.stats.onToolComplete(event);
    case "subagent.spawn_requested":
    case "subagent.start":
    case "subagent.thinking":
    case "subagent.progress":
    case "subagent.tool":
    case "subagent.complete":
      return reporter.onDescendant(event);
    case "session.start":
    case "session.branch":
    case "session.import":
    case "session.end":
    case "user.set":
    case "title.set":
    case "settings.set":
    case "approval.pattern":
    case "prompt.queued":
    case "prompt.dropped":
    case "prompt.held":
    case "prompt.confirmed":
    case "history.given":
    case "history.undo":
    case "history.compress":
    case "history.compress_failed":
    case "turn.start":
    case "turn.end":
    case "steer.accepted":
    case "steer.delivered":
    case "model.retry":
    case "message.delta":
    case "message.complete":
    case "tool.generating":
    case "tool.progress":
    case "status.update":
    case "notice":
    case "process.start":
    case "process.complete":
    case "process.told":
    case "todos.cleared":
    case "turn.feedback":
    case "background.start":
    case "background.complete":
  }
}
