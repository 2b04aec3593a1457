import { z } from "zod";
import { type AnyTool, defineTool, type ToolAnswer, type ToolQuestion } from "../../src/core/index.ts";

/** A tool that asks a question and keeps what it heard. */
export function askingTool(question: ToolQuestion, heard: ToolAnswer[]): AnyTool {
  return defineTool({
    name: "ask",
    description: "Asks",
    toolset: "test",
    kind: "other",
    effect: "pure",
    input: z.object({}),
    label: () => "ask",
    async *run(_input, context) {
      yield { preview: "asking" };
      const answer = await context.ask(question);
      heard.push(answer);
      return { outcome: "ok", content: [{ type: "text", text: answer.outcome }] };
    },
  });
}
