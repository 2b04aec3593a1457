import { textPart } from "../events/content.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { CallQuestions } from "./call-questions.ts";
import { ProgressThrottle } from "./progress-throttle.ts";
import type { CallState } from "../state/state.ts";
import type { AnyTool, ToolResult, ToolRun } from "../ports/tool.ts";
import { toolContext } from "./tool-context.ts";
import type { TurnContext, TurnStep } from "./turn-context.ts";

/** Runs a tool that may run. Its progress and its questions go to the driver; an error that it throws is its result. */
export async function* runTool(
  turn: TurnContext,
  { tool, input, state }: { readonly tool: AnyTool; readonly input: never; readonly state: CallState },
): AsyncGenerator<TurnStep, ToolResult> {
  const throttle = new ProgressThrottle(turn.services, { callId: state.call.id, name: tool.name });
  const questions = new CallQuestions(turn, tool, state);
  const running = tool.run(input, toolContext(turn, state.call.id, questions));
  try {
    let next = advance(running);
    let question = questions.next();
    for (;;) {
      const step = await Promise.race([next, question, throttle.due()]);
      if (step.kind === "asked") {
        yield* questions.raise(step.asked);
        question = questions.next();
      } else if (step.kind === "step") {
        if (step.result.done === true) return step.result.value;
        next = advance(running);
        throttle.take(step.result.value);
      }
      const progress = throttle.next();
      if (progress !== undefined) yield progress;
    }
  } catch (thrown) {
    const outcome = turn.signal.aborted ? "cancelled" : "error";
    return { outcome, content: [textPart(toHostError(thrown, "tool_failed").message)] };
  } finally {
    throttle.close();
    // The tool learns from its signal that the driver left; nobody waits for its clean-up.
    running.return({ outcome: "cancelled", content: [] }).catch(() => undefined);
  }
}

const advance = (running: ToolRun) => running.next().then((result) => ({ kind: "step" as const, result }));
