import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textPart } from "../../../../../src/core/events/content.ts";
import type { AssistantMessage, ModelMessage } from "../../../../../src/core/ports/model-message.ts";
import type { EncodingContext } from "../../../../../src/providers/models/request/content-encoding.ts";
import { toInputItems } from "../../../../../src/providers/models/dialects/openai-responses/input.ts";
import { legalConversations } from "../../../../kit/conversations.ts";
import { times } from "../../../../kit/counts.ts";
import { responsesProblems } from "../../../../kit/responses-validator.ts";

const seeing: EncodingContext = { reader: "p:m", image: () => ({ mediaType: "image/png", base64: "AAAA" }) };
const blind: EncodingContext = { reader: "p:m", image: () => ({ note: "[no image]" }) };
const picture = { type: "image", blob: { hash: "a".repeat(64), size: 3 }, mediaType: "image/png" } as const;

test("every legal conversation becomes a request that the strictest endpoint takes", () => {
  fc.assert(
    fc.property(legalConversations, fc.constantFrom(seeing, blind), (conversation, encoding) => {
      const input = conversation.flatMap((message) => toInputItems(message, encoding));
      // Over the wire and back: what is checked is what an endpoint reads.
      expect(responsesProblems(JSON.parse(JSON.stringify({ model: "m", input })))).toEqual([]);
    }),
    { numRuns: times(5000) },
  );
});

test("a prompt's parts are input parts", () => {
  const parts = [textPart("look"), { ...picture, detail: "low" }];
  expect(toInputItems({ role: "user", parts }, seeing)).toEqual([
    {
      role: "user",
      content: [
        { type: "input_text", text: "look" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "low" },
      ],
    },
  ]);
});

describe("a reply", () => {
  const reasoning = { type: "reasoning", summary: [], encrypted_content: "E" };
  const message: AssistantMessage = {
    role: "assistant",
    text: "Let me look.",
    reasoning: "hm",
    calls: [{ id: "c1", name: "ls", input: { path: "." } }],
  };
  const items = {
    dialect: "openai-responses",
    model: "p:m",
    items: [{ kind: "opaque", item: reasoning }, { kind: "text", phase: "commentary" }, { kind: "call" }],
  };
  const call = { type: "function_call", call_id: "c1", name: "ls", arguments: '{"path":"."}' };

  test("goes back in its order, reasoning before what it led to", () => {
    expect(toInputItems({ ...message, items }, seeing)).toEqual([
      reasoning,
      { role: "assistant", content: "Let me look.", phase: "commentary" },
      call,
    ]);
  });

  test.each([
    ["another model's", { ...items, model: "p:other" }],
    ["another dialect's", { ...items, dialect: "anthropic-messages" }],
    ["nobody's", undefined],
  ])("without opaque items when they are %s", (_whose, foreign) => {
    const made: ModelMessage = { ...message, ...(foreign && { items: foreign }) };
    expect(toInputItems(made, seeing)).toEqual([{ role: "assistant", content: "Let me look." }, call]);
  });

  test("that lost its calls does not leave its reasoning alone", () => {
    expect(toInputItems({ ...message, text: " ", calls: [], items }, seeing)).toEqual([
      { role: "assistant", content: "(empty)" },
    ]);
  });
});

test("results are one item each, with their images in them", () => {
  const result = { callId: "c1", name: "view", isError: false };
  const results = [
    { ...result, content: [textPart("one"), textPart("two")] },
    { ...result, callId: "c2", content: [], isError: true },
    { ...result, callId: "c3", content: [textPart("see"), picture] },
  ];
  expect(toInputItems({ role: "tool", results }, seeing)).toEqual([
    { type: "function_call_output", call_id: "c1", output: "one\ntwo" },
    { type: "function_call_output", call_id: "c2", output: "Error: (no output)" },
    {
      type: "function_call_output",
      call_id: "c3",
      output: [
        { type: "input_text", text: "see" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      ],
    },
  ]);
});
