import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textPart } from "../../../../../src/core/events/content.ts";
import type { AssistantMessage, ModelMessage } from "../../../../../src/core/ports/model-message.ts";
import type { EncodingContext } from "../../../../../src/providers/models/request/content-encoding.ts";
import { toChatMessages } from "../../../../../src/providers/models/dialects/openai-chat/messages.ts";
import { chatProblems } from "../../../../kit/chat-validator.ts";
import { legalConversations } from "../../../../kit/conversations.ts";
import { times } from "../../../../kit/counts.ts";

const seeing: EncodingContext = { reader: "m", image: () => ({ mediaType: "image/png", base64: "AAAA" }) };
const blind: EncodingContext = { reader: "m", image: () => ({ note: "[no image]" }) };
const picture = { type: "image", blob: { hash: "a".repeat(64), size: 3 }, mediaType: "image/png" } as const;

test("every legal conversation becomes a request that the strictest endpoint takes", () => {
  fc.assert(
    fc.property(legalConversations, fc.constantFrom(seeing, blind), (conversation, encoding) => {
      const messages = conversation.flatMap((message) => toChatMessages(message, encoding));
      // Over the wire and back: what is checked is what an endpoint reads.
      expect(chatProblems(JSON.parse(JSON.stringify({ model: "m", messages })))).toEqual([]);
    }),
    { numRuns: times(5000) },
  );
});

describe("a user's message", () => {
  const content = (...parts: Extract<ModelMessage, { role: "user" }>["parts"]): unknown =>
    toChatMessages({ role: "user", parts }, seeing).map((message) => message["content"])[0];

  test("of text alone is a string", () => {
    expect(content(textPart("one"), textPart("two"))).toBe("one\n\ntwo");
  });

  test("names resources with their text, and links by name and address", () => {
    expect(
      content(
        { type: "resource", uri: "file:///a.md", mediaType: "text/markdown", text: "# A" },
        { type: "link", uri: "file:///b", name: "b" },
      ),
    ).toBe('<resource uri="file:///a.md" type="text/markdown">\n# A\n</resource>\n\n[b](file:///b)');
  });

  test("with images is a list, with the detail that chat endpoints know", () => {
    expect(
      content(textPart("look"), { ...picture, detail: "low" }, { ...picture, detail: "original" }),
    ).toEqual([
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ]);
  });
});

describe("an assistant's message", () => {
  const message: AssistantMessage = {
    role: "assistant",
    text: "",
    reasoning: "hm",
    calls: [{ id: "c1", name: "ls", input: { path: "." } }],
  };
  const items = {
    dialect: "openai-chat",
    model: "m",
    items: [
      { reasoningField: "reasoning_content", reasoningDetails: [{ data: "x" }], callExtras: [{ google: 1 }] },
    ],
  };

  test("has its calls, and null where it said nothing", () => {
    expect(toChatMessages(message, seeing)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: '{"path":"."}' } }],
      },
    ]);
  });

  test("gives its model back what that wants to see again", () => {
    expect(toChatMessages({ ...message, items }, seeing)[0]).toMatchObject({
      reasoning_content: "hm",
      reasoning_details: [{ data: "x" }],
      tool_calls: [{ id: "c1", extra_content: { google: 1 } }],
    });
  });

  test.each([
    { ...items, model: "another" },
    { ...items, dialect: "anthropic-messages" },
  ])("gives nothing of it to others", (foreign) => {
    expect(toChatMessages({ ...message, items: foreign }, seeing)).toEqual(toChatMessages(message, seeing));
  });

  test("without calls says what it said and nothing else", () => {
    expect(toChatMessages({ ...message, text: "done", calls: [], items }, seeing)).toEqual([
      { role: "assistant", content: "done" },
    ]);
  });
});

describe("results of tools", () => {
  const result = (
    content: Extract<ModelMessage, { role: "tool" }>["results"][number]["content"],
    isError = false,
  ) => ({
    callId: "c1",
    name: "view",
    content,
    isError,
  });

  test("are one message each, in order; what is for people only is left out", () => {
    const diff = { type: "diff", path: "a", oldText: null, newText: "x" } as const;
    const results = [
      result([textPart("one"), textPart("two")]),
      { ...result([diff]), callId: "c2" },
      { ...result([textPart("bad")], true), callId: "c3" },
    ];
    expect(toChatMessages({ role: "tool", results }, seeing)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "one\ntwo" },
      { role: "tool", tool_call_id: "c2", content: "(no output)" },
      { role: "tool", tool_call_id: "c3", content: "Error: bad" },
    ]);
  });

  test("have their images after them, as the user's", () => {
    expect(toChatMessages({ role: "tool", results: [result([picture])] }, seeing)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "(The image follows.)" },
      {
        role: "user",
        content: [
          { type: "text", text: "Image from view:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
    ]);
    expect(toChatMessages({ role: "tool", results: [result([picture])] }, blind)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "[no image]" },
    ]);
  });
});
