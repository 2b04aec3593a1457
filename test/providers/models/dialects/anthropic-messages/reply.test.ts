import { describe, expect, test } from "vitest";
import { MessagesReply } from "../../../../../src/providers/models/dialects/anthropic-messages/reply.ts";
import { callsIn, joined, type Outcome } from "../../../../kit/model-parts.ts";
import { context, decode } from "../decode.ts";

type Event = Readonly<Record<string, unknown>>;

const read = (...events: readonly Event[]): Outcome =>
  decode(
    new MessagesReply(context()),
    events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`),
  );

const block = (index: number, content_block: Event, ...deltas: readonly Event[]): readonly Event[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const text = (index: number, ...texts: readonly string[]): readonly Event[] =>
  block(index, { type: "text", text: "" }, ...texts.map((piece) => ({ type: "text_delta", text: piece })));
const stop = (reason: string, usage: Event = {}): readonly Event[] => [
  { type: "message_delta", delta: { stop_reason: reason }, usage },
  { type: "message_stop" },
];
const finishOf = ({ parts }: Outcome): unknown => parts.at(-1);

describe("a streamed message", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    ["something_new", "stop"],
  ])("that stops with %s ends as %s", (reason, finish) => {
    expect(finishOf(read(...text(0, "Hi"), ...stop(reason)))).toMatchObject({
      type: "finish",
      reason: finish,
    });
  });

  test("that asks for a tool ends so, whatever its reason says", () => {
    const call = block(0, { type: "tool_use", id: "t1", name: "ls", input: {} });
    const outcome = read(...call, ...stop("end_turn"));
    expect(callsIn(outcome.parts)).toEqual([{ id: "t1", name: "ls", input: {} }]);
    expect(finishOf(outcome)).toMatchObject({ reason: "tool_calls" });
  });

  test("counts cached input as input, and what its end corrects", () => {
    const start = {
      type: "message_start",
      message: {
        usage: {
          input_tokens: 10,
          cache_read_input_tokens: 70,
          cache_creation_input_tokens: 20,
          output_tokens: 1,
        },
      },
    };
    const { parts } = read(start, ...text(0, "Hi"), ...stop("end_turn", { output_tokens: 9 }));
    expect(parts.at(-2)).toEqual({
      type: "usage",
      usage: { input: 100, output: 9, reasoning: 0, cacheRead: 70, cacheWrite: 20 },
    });
  });

  test("keeps signed and redacted thinking as it came, in its place", () => {
    const outcome = read(
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "h" },
        { type: "thinking_delta", thinking: "m" },
        { type: "signature_delta", signature: "S" },
      ),
      ...block(1, { type: "redacted_thinking", data: "D" }),
      ...text(2, "Hi"),
      ...block(3, { type: "tool_use", id: "t1", name: "ls", input: {} }),
      ...stop("tool_use"),
    );
    expect(joined(outcome.parts, "reasoning")).toBe("hm");
    expect(finishOf(outcome)).toMatchObject({
      items: {
        dialect: "anthropic-messages",
        model: "local:test-model",
        items: [
          { kind: "opaque", item: { type: "thinking", thinking: "hm", signature: "S" } },
          { kind: "opaque", item: { type: "redacted_thinking", data: "D" } },
          { kind: "text" },
          { kind: "call" },
        ],
      },
    });
  });

  test("keeps no thinking without a signature: nobody would take it back", () => {
    const thought = block(0, { type: "thinking", thinking: "hm", signature: "" });
    expect(finishOf(read(...thought, ...text(1, "Hi"), ...stop("end_turn")))).not.toHaveProperty("items");
  });

  test.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "provider_overloaded"],
    [{ type: "rate_limit_error", message: "Too fast" }, "provider_rate_limit"],
    [{ type: "authentication_error", message: "invalid x-api-key" }, "provider_auth"],
    [{ type: "invalid_request_error", message: "prompt is too long: 9 tokens" }, "provider_context_overflow"],
    [{ type: "billing_error", message: "Your credit balance is too low" }, "provider_quota"],
  ])("that breaks off with %j is %s", (error, code) => {
    const outcome = read(...text(0, "Hi"), { type: "error", error });
    expect(joined(outcome.parts)).toBe("Hi");
    expect(outcome.error?.code).toBe(code);
  });

  test("without an end broke off", () => {
    expect(read(...text(0, "Hi")).error?.code).toBe("provider_network");
    expect(read().error?.message).toContain("before it said anything");
  });

  test("may hold blocks and deltas that nobody knows", () => {
    const outcome = read(
      ...block(0, { type: "server_tool_use", id: "x" }, { type: "input_json_delta", partial_json: "{" }),
      ...block(
        1,
        { type: "text", text: "" },
        { type: "citations_delta" },
        { type: "text_delta", text: "Hi" },
      ),
      ...stop("end_turn"),
    );
    expect(joined(outcome.parts)).toBe("Hi");
    expect(callsIn(outcome.parts)).toEqual([]);
  });
});

test.each([[{ type: "list" }], [[1]]])("%j is no message", (value) => {
  expect(decode(new MessagesReply(context()), [JSON.stringify(value)]).error?.code).toBe(
    "provider_bad_request",
  );
});
