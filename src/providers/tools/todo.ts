import { z } from "zod";
import { type AnyTool, type Todo, defineTool, textPart } from "../../core/index.ts";

/** The signs with which the terminal client shows the list, too. */
const MARKS = { pending: "☐", in_progress: "▸", completed: "☑", cancelled: "☒" } as const;

const input = z.object({
  todos: z
    .array(
      z.object({
        id: z.string().min(1).describe("Short and unique in the list"),
        content: z.string().min(1),
        status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
      }),
    )
    .optional()
    .describe("The whole new list; leave it out to read the present one"),
});

export function todoTool(): AnyTool {
  return defineTool({
    name: "todo",
    toolset: "todo",
    description:
      "Keeps the list of steps of a longer task, which the user sees. Give the whole list each time; mark one step in_progress while you work on it, and completed as soon as it is done.",
    kind: "think",
    effect: "idempotent",
    changes: "nothing",
    input,
    label: ({ todos }) =>
      todos === undefined ? "Read the todo list" : `Update the todo list (${progress(todos)})`,
    permit: () => Promise.resolve({ verdict: "allow" }),
    run: async ({ todos }, { session }) => {
      const list = todos === undefined ? session.todos : unique(todos);
      const result = { outcome: "ok" as const, content: [textPart(render(list))], summary: progress(list) };
      return todos === undefined ? result : { ...result, todos: list };
    },
  });
}

/** Of two steps with one id the later one counts, at the place of the first. */
function unique(todos: readonly Todo[]): readonly Todo[] {
  return [...new Map(todos.map((todo) => [todo.id, todo])).values()];
}

function progress(todos: readonly Todo[]): string {
  const done = todos.filter(({ status }) => status === "completed" || status === "cancelled").length;
  return `${done} of ${todos.length} done`;
}

function render(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The list is empty.";
  const lines = todos.map(({ id, content, status }) => `${MARKS[status]} ${id}: ${content}`);
  const working = todos.filter(({ status }) => status === "in_progress").length;
  return working > 1
    ? [...lines, "Several steps are in_progress; keep it to one."].join("\n")
    : lines.join("\n");
}
