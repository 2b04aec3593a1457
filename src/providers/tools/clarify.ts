import { z } from "zod";
import { type AnyTool, type ToolAnswer, type ToolResult, defineTool, textPart } from "../../core/index.ts";

const MOST_CHOICES = 4;

const input = z.object({
  question: z.string().min(1),
  choices: z
    .array(z.string().min(1))
    .max(MOST_CHOICES)
    .optional()
    .describe("Answers to choose from; the user may also write another one"),
});

export function clarifyTool(): AnyTool {
  return defineTool({
    name: "clarify",
    toolset: "clarify",
    description:
      "Asks the user a question and waits for the answer. Use it when you cannot go on without a decision that is theirs.",
    kind: "other",
    effect: "pure",
    input,
    label: ({ question }) => `Ask: ${question}`,
    permit: () => Promise.resolve({ verdict: "allow" }),
    run: async ({ question, choices = [] }, context) =>
      answered(await context.ask({ kind: "clarify", question, choices })),
  });
}

function answered(answer: ToolAnswer): ToolResult {
  switch (answer.outcome) {
    case "answered":
      return { outcome: "ok", content: [textPart(answer.text)], summary: answer.text };
    case "expired":
      return notAnswered(
        "Nobody answered in time. Do not take that for a yes: choose the safest way on, or end with what is open.",
      );
    case "refused":
      return notAnswered(
        `The question could not be asked: ${answer.reason.replace(/\.$/, "")}. Go on without an answer, or end with what is open.`,
      );
    case "cancelled":
      return { outcome: "cancelled", content: [textPart(`The question was withdrawn: ${answer.reason}`)] };
  }
}

function notAnswered(text: string): ToolResult {
  return { outcome: "error", content: [textPart(text)], summary: "not answered" };
}
