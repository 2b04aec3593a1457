import { expect, test } from "vitest";
import { todoTool } from "../../../src/providers/tools/todo.ts";
import { toolStage } from "../../kit/tool-context.ts";

test("a list is kept, and read back when none is given", async () => {
  const todos = [
    { id: "1", content: "look", status: "completed" },
    { id: "2", content: "build", status: "in_progress" },
    { id: "3", content: "test", status: "pending" },
    { id: "4", content: "rest", status: "cancelled" },
  ] as const;
  const stage = toolStage({ cwd: "/" });
  const { result, text } = await stage.run(todoTool(), { todos });
  expect(text).toBe("☑ 1: look\n▸ 2: build\n☐ 3: test\n☒ 4: rest");
  expect(result).toMatchObject({ outcome: "ok", todos, summary: "2 of 4 done" });
  const later = await toolStage({ cwd: "/", todos }).run(todoTool(), {});
  expect(later.text).toBe(text);
  expect(later.result.todos).toBeUndefined();
  expect((await stage.run(todoTool(), {})).text).toBe("The list is empty.");
  expect(await stage.permit(todoTool(), {})).toEqual({ verdict: "allow" });
});

test("two steps with one id become one, and several in progress are remarked on", async () => {
  const todos = [
    { id: "1", content: "a", status: "in_progress" },
    { id: "2", content: "b", status: "in_progress" },
    { id: "1", content: "c", status: "in_progress" },
  ];
  const { result, text } = await toolStage({ cwd: "/" }).run(todoTool(), { todos });
  expect(result.todos?.map(({ content }) => content)).toEqual(["c", "b"]);
  expect(text).toContain("keep it to one");
});

test("a wrong status is told with those that there are", async () => {
  const { result, text } = await toolStage({ cwd: "/" }).run(todoTool(), {
    todos: [{ id: "1", content: "a", status: "done" }],
  });
  expect(result.outcome).toBe("error");
  expect(text).toContain("in_progress");
});
