import { expect, test } from "vitest";
import type { ToolAnswer } from "../../../src/core/ports/tool.ts";
import { clarifyTool } from "../../../src/providers/tools/clarify.ts";
import { toolStage } from "../../kit/tool-context.ts";

test.each<[ToolAnswer, string, string]>([
  [{ outcome: "answered", text: "blue" }, "ok", "blue"],
  [{ outcome: "expired", reason: "x" }, "error", "Nobody answered in time. Do not take that for a yes"],
  [
    { outcome: "refused", reason: "nobody can answer here." },
    "error",
    "could not be asked: nobody can answer here. Go on",
  ],
  [{ outcome: "cancelled", reason: "interrupted" }, "cancelled", "withdrawn: interrupted"],
])("an answer comes back as it ended: %j", async (answer, outcome, words) => {
  const stage = toolStage({ cwd: "/", answer: () => answer });
  const { result, text } = await stage.run(clarifyTool(), {
    question: "Which colour?",
    choices: ["red", "blue"],
  });
  expect(result.outcome).toBe(outcome);
  expect(text).toContain(words);
  expect(stage.asked).toEqual([{ kind: "clarify", question: "Which colour?", choices: ["red", "blue"] }]);
});

test("a fifth choice is too many", async () => {
  const { text } = await toolStage({ cwd: "/" }).run(clarifyTool(), {
    question: "?",
    choices: ["1", "2", "3", "4", "5"],
  });
  expect(text).toContain("Invalid input for clarify");
});
