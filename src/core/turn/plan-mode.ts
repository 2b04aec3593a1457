import { z } from "zod";
import { textPart } from "../events/content.ts";
import type { SessionMode } from "../events/events.ts";
import { defineTool, type ToolAnswer, type ToolResult, type Toolset } from "../ports/tool.ts";

/** Part of the system prompt of a session that plans. */
export const PLAN_INSTRUCTIONS = `Plan mode is on: nothing may be changed yet. You can read files, search, run commands that only look, and read the web; every other call is refused.
Find out what the task needs. Then call present_plan with what you would do: the files, the changes in their order, how you will check them, and what is open. Do not ask in words whether the plan is right: present_plan does that. A prompt that needs no change is just answered.`;

/** Part of the system prompt of a subagent of a session that plans. */
export const PLAN_READ_ONLY =
  "Plan mode is on: nothing may be changed. You can read files, search, run commands that only look, and read the web; every other call is refused.";

const EDITS = "Yes, and change files without asking";
const ASK = "Yes, and ask before each change";
const MORE = "No, go on planning";
const CHOSEN: ReadonlyMap<string, SessionMode> = new Map([
  [EDITS, "edits"],
  [ASK, "ask"],
]);

const input = z.object({
  plan: z.string().min(1).describe("The whole plan, in Markdown: the user reads this and nothing else"),
});

function resultOf(answer: ToolAnswer): ToolResult {
  switch (answer.outcome) {
    case "answered": {
      const mode = CHOSEN.get(answer.text);
      if (mode !== undefined)
        return {
          outcome: "ok",
          mode,
          content: [textPart("The user accepted the plan. Plan mode is off: carry it out now.")],
          summary: "accepted",
        };
      const words = answer.text === MORE || answer.text.trim() === "" ? "" : ` They said: ${answer.text}`;
      return {
        outcome: "ok",
        content: [textPart(`The user did not accept the plan. Plan mode stays on: change the plan.${words}`)],
        summary: "not accepted",
      };
    }
    case "expired":
    case "refused":
      return {
        outcome: "error",
        content: [
          textPart(
            `Nobody could accept the plan (${answer.reason}). Plan mode stays on: give the plan as your answer and end.`,
          ),
        ],
        summary: "not answered",
      };
    case "cancelled":
      return { outcome: "cancelled", content: [textPart(`The question was withdrawn: ${answer.reason}`)] };
  }
}

/** The tool with which a session that plans ends: it shows the plan, and the person says how it goes on. */
const PRESENT_PLAN = defineTool({
  name: "present_plan",
  toolset: "plan",
  description:
    "Shows your plan to the user and asks whether you may carry it out. Call it when the plan is ready.",
  kind: "think",
  effect: "pure",
  input,
  label: () => "Present the plan",
  permit: () => Promise.resolve({ verdict: "allow" }),
  run: async ({ plan }, context) =>
    resultOf(
      await context.ask({
        kind: "clarify",
        question: `${plan.trim()}\n\nShall I carry out this plan?`,
        choices: [EDITS, ASK, MORE],
      }),
    ),
});

/** What a session has only while it plans. */
export const PLAN_TOOLSET: Toolset = {
  name: "plan",
  label: "Plan",
  description: "Present a plan to accept",
  tools: [PRESENT_PLAN],
  configured: true,
};
