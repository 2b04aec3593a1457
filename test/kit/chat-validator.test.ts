import { describe, expect, test } from "vitest";
import { chatProblems } from "./chat-validator.ts";

const call = (id: string, change: object = {}): object => ({
  id,
  type: "function",
  function: { name: "ls", arguments: "{}" },
  ...change,
});
const assistant = (...calls: readonly object[]): object => ({
  role: "assistant",
  content: null,
  tool_calls: calls,
});
const result = (id: string, content: unknown = "ok"): object => ({ role: "tool", tool_call_id: id, content });
const user = (content: unknown = "hi"): object => ({ role: "user", content });
const body = (...messages: readonly unknown[]): object => ({ model: "m", messages });

test("a legal request has no problems", () => {
  const messages = [
    { role: "system", content: "s" },
    user(),
    assistant(call("a"), call("b")),
    result("b"),
    result("a"),
    { role: "assistant", content: "done" },
    user([
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
    ]),
  ];
  const tools = [
    { type: "function", function: { name: "ls", description: "", parameters: { type: "object" } } },
  ];
  expect(
    chatProblems({
      ...body(...messages),
      tools,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 5,
    }),
  ).toEqual([]);
});

describe("a request is illegal", () => {
  test.each<[string, unknown, RegExp]>([
    ["that is no object", "x", /no object/],
    ["without a model", { messages: [user()] }, /model/],
    ["without messages", { model: "m", messages: [] }, /messages/],
    ["with a field that nobody knows", { ...body(user()), stop_words: 1 }, /unknown field/],
    ["with two limits", { ...body(user()), max_tokens: 1, max_completion_tokens: 1 }, /two output limits/],
    ["with an empty list of tools", { ...body(user()), tools: [] }, /tools/],
    ["with options of a stream that is none", { ...body(user()), stream_options: {} }, /without stream/],
    [
      "with a call that has no result",
      body(user(), assistant(call("a")), user()),
      /calls without results: a/,
    ],
    ["with a call at its end", body(user(), assistant(call("a"))), /have no results/],
    ["with a result of nothing", body(user(), result("a")), /was not asked for/],
    [
      "with two results of one call",
      body(user(), assistant(call("a")), result("a"), result("a")),
      /was not asked for or has one/,
    ],
    [
      "with a result after something else",
      body(user(), assistant(call("a")), user(), result("a")),
      /calls without results/,
    ],
    [
      "with an id that is used twice",
      body(user(), assistant(call("a")), result("a"), assistant(call("a")), result("a")),
      /used twice/,
    ],
    ["with an empty id", body(user(), assistant(call("")), result("")), /usable id/],
    [
      "with arguments that are no JSON",
      body(user(), assistant(call("a", { function: { name: "ls", arguments: "{" } })), result("a")),
      /arguments/,
    ],
    [
      "with arguments that are a list",
      body(user(), assistant(call("a", { function: { name: "ls", arguments: "[]" } })), result("a")),
      /arguments/,
    ],
    [
      "with a name that is none",
      body(user(), assistant(call("a", { function: { name: "l s", arguments: "{}" } })), result("a")),
      /function name/,
    ],
    ["with an empty prompt", body(user("  ")), /empty content/],
    ["with an empty part", body(user([{ type: "text", text: "" }])), /empty text part/],
    [
      "with an image elsewhere",
      body(user([{ type: "image_url", image_url: { url: "http://x/a.png" } }])),
      /no data address/,
    ],
    ["with an empty result", body(user(), assistant(call("a")), result("a", "")), /empty content/],
    [
      "with an assistant that said nothing",
      body(user(), { role: "assistant", content: "" }, user()),
      /neither content nor calls/,
    ],
    ["that the assistant begins", body({ role: "assistant", content: "x" }, user()), /not the user's/],
    ["that the assistant ends", body(user(), { role: "assistant", content: "x" }), /nothing to answer/],
    ["with instructions in its middle", body(user(), { role: "system", content: "x" }), /not the first/],
    ["with a role that nobody has", body({ role: "robot", content: "x" }), /unknown role/],
  ])("%s", (_title, request, problem) => {
    expect(chatProblems(request).join("\n")).toMatch(problem);
  });
});
