import { expect, test } from "vitest";
import { intentOf } from "../../../../../src/providers/models/dialects/demo/intents.ts";

const call = (tool: string, input: object) => ({ type: "calls", calls: [{ tool, input }] });

test.each<[string, unknown]>([
  ["run `ls -la`", call("terminal", { command: "ls -la" })],
  ["Run ls.", call("terminal", { command: "ls" })],
  ["please execute echo hi", call("terminal", { command: "echo hi" })],
  ["read README.md", call("read_file", { path: "README.md" })],
  ["read the file `src/a.ts`", call("read_file", { path: "src/a.ts" })],
  [
    "edit a.txt: replace foo with bar",
    call("edit_file", { path: "a.txt", old_text: "foo", new_text: "bar" }),
  ],
  [
    "edit a.txt: replace `foo and x` with 'bar'",
    call("edit_file", { path: "a.txt", old_text: "foo and x", new_text: "bar" }),
  ],
  ["edit a.txt replace foo by bar", call("edit_file", { path: "a.txt", old_text: "foo", new_text: "bar" })],
  ["write notes.txt: hello world", call("write_file", { path: "notes.txt", content: "hello world" })],
  ['create a.txt with content "x\ny"', call("write_file", { path: "a.txt", content: "x\ny" })],
  ["list files", call("list_files", {})],
  ["list the files in src", call("list_files", { path: "src" })],
  ["search for TODO", call("search_files", { pattern: "TODO" })],
  ["search for `a b` in src", call("search_files", { pattern: "a b", path: "src" })],
  ["ask me: how many?", call("clarify", { question: "how many?" })],
  [
    "ask me",
    call("clarify", { question: "Which colour do you like best?", choices: ["red", "green", "blue"] }),
  ],
  [
    "todo: one, two",
    call("todo", {
      todos: [
        { id: "1", content: "one", status: "in_progress" },
        { id: "2", content: "two", status: "pending" },
      ],
    }),
  ],
  [
    "read a.txt and run ls",
    {
      type: "calls",
      calls: [
        { tool: "read_file", input: { path: "a.txt" } },
        { tool: "terminal", input: { command: "ls" } },
      ],
    },
  ],
  ["think about life", { type: "think", about: "life" }],
  ["count to 3", { type: "count", to: 3 }],
  ["count to 999999999", { type: "count", to: 100_000 }],
  ["fail", { type: "fail", how: "" }],
  ["fail: rate limit", { type: "fail", how: "rate limit" }],
  ["Hello!", { type: "greet" }],
  ["help", { type: "greet" }],
  ["  ", { type: "greet" }],
  ["what is the weather", { type: "echo", text: "what is the weather" }],
  ["thinking is hard", { type: "echo", text: "thinking is hard" }],
])("%j", (prompt, intent) => {
  expect(intentOf(prompt)).toEqual(intent);
});
