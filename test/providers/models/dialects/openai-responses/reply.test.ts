import { describe, expect, test } from "vitest";
import { ResponsesReply } from "../../../../../src/providers/models/dialects/openai-responses/reply.ts";
import { callsIn, joined, type Outcome } from "../../../../kit/model-parts.ts";
import { context, decode } from "../decode.ts";

type Event = Readonly<Record<string, unknown>>;

const read = (...events: readonly Event[]): Outcome =>
  decode(
    new ResponsesReply(context()),
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
  );

const readWhole = (response: unknown): Outcome =>
  decode(new ResponsesReply(context()), [JSON.stringify(response)]);

const completed = (fields: Event = {}): Event => ({
  type: "response.completed",
  response: { status: "completed", output: [], ...fields },
});

const text = (delta: string): Event => ({ type: "response.output_text.delta", output_index: 0, delta });
const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] };
const call = { type: "function_call", call_id: "c1", name: "ls", arguments: '{"a":1}' };

describe("a streamed response", () => {
  test("is over with its last event, whatever the connection does then", () => {
    const { parts, error } = read(text("Hi"), completed(), { type: "error", message: "late" });
    expect(error).toBeUndefined();
    expect(joined(parts)).toBe("Hi");
  });

  test("says what only its last event says", () => {
    const { parts } = read(completed({ output: [message, call] }));
    expect(joined(parts)).toBe("Hello");
    expect(callsIn(parts)).toEqual([{ id: "c1", name: "ls", input: { a: 1 } }]);
  });

  test("says nothing twice, with places or without", () => {
    const placed = read(
      text("Hello"),
      { type: "response.output_item.done", output_index: 0, item: message },
      completed({ output: [message] }),
    );
    expect(joined(placed.parts)).toBe("Hello");
    const item = { ...message, id: "m1" };
    const named = read(
      { type: "response.output_text.delta", item_id: "m1", delta: "Hello" },
      { type: "response.output_item.done", item },
      completed({ output: [item] }),
    );
    expect(joined(named.parts)).toBe("Hello");
  });

  test("sets parts of a summary apart", () => {
    const part = (index: number, delta: string): readonly Event[] => [
      { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: index },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: index, delta },
    ];
    const { parts } = read(...part(0, "one"), ...part(1, "two"), completed());
    expect(joined(parts, "reasoning")).toBe("one\n\ntwo");
  });

  test("with a refusal ends as one", () => {
    const { parts } = read({ type: "response.refusal.delta", output_index: 0, delta: "No." }, completed());
    expect(joined(parts)).toBe("No.");
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "refusal" });
  });

  test.each([
    ["max_output_tokens", "length"],
    ["content_filter", "refusal"],
    ["something new", "length"],
  ])("that is incomplete because of %s ends as %s", (reason, finish) => {
    const response = { status: "incomplete", output: [], incomplete_details: { reason } };
    const { parts } = read(text("Hi"), { type: "response.incomplete", response });
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: finish });
  });

  test.each([
    [{ code: "rate_limit_exceeded", message: "Rate limit reached" }, "provider_rate_limit"],
    [{ code: "insufficient_quota", message: "You exceeded your current quota" }, "provider_quota"],
    [{ code: "context_length_exceeded", message: "Too long" }, "provider_context_overflow"],
    [{ code: "server_error", message: "Oops" }, "provider_overloaded"],
    [null, "provider_overloaded"],
  ])("that failed with %j is %s", (error, code) => {
    const outcome = read({ type: "response.failed", response: { status: "failed", error } });
    expect(outcome.error?.code).toBe(code);
  });

  test("without an end broke off", () => {
    expect(read(text("Hi")).error).toMatchObject({ code: "provider_network" });
    expect(read().error?.message).toContain("before it said anything");
  });

  test("may have calls without an id, and two of one id", () => {
    const added = (index: number, id?: string): Event => ({
      type: "response.output_item.done",
      output_index: index,
      item: { ...call, call_id: id },
    });
    const { parts } = read(added(0), added(1, "x"), added(2, "x"), completed());
    expect(callsIn(parts).map(({ id }) => id)).toEqual(["own_1", "x", "own_2"]);
  });
});

describe("what is kept of a response", () => {
  const items = (...output: readonly Event[]): unknown => {
    const end = readWhole({ status: "completed", output }).parts.at(-1);
    return end?.type === "finish" ? end.items?.items : undefined;
  };

  test("is encrypted reasoning without its id, in its place", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" };
    expect(items(reasoning, message, call)).toEqual([
      { kind: "opaque", item: { type: "reasoning", summary: [], encrypted_content: "E" } },
      { kind: "text" },
      { kind: "call" },
    ]);
  });

  test("is readable reasoning as open models give it", () => {
    const content = [{ type: "reasoning_text", text: "hm" }];
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], content };
    expect(items(reasoning, call)).toEqual([{ kind: "opaque", item: reasoning }, { kind: "call" }]);
  });

  test("is nothing when reasoning is stored with the endpoint only", () => {
    expect(items({ type: "reasoning", id: "rs_1", summary: [] }, message)).toBeUndefined();
  });

  test("is the phase of a message", () => {
    expect(items({ ...message, phase: "final_answer" })).toEqual([{ kind: "text", phase: "final_answer" }]);
  });
});

test.each([[{ object: "list" }], [[1]]])("%j is no response", (value) => {
  expect(readWhole(value).error?.code).toBe("provider_bad_request");
});
