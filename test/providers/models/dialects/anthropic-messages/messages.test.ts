import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textPart } from "../../../../../src/core/events/content.ts";
import type { AssistantMessage, ModelMessage } from "../../../../../src/core/ports/model-message.ts";
import { messagesDialect } from "../../../../../src/providers/models/dialects/anthropic-messages/dialect.ts";
import type { EncodingContext } from "../../../../../src/providers/models/request/content-encoding.ts";
import { parseEndpoint } from "../../../../../src/providers/models/config/parse-endpoint.ts";
import type { ModelSettings } from "../../../../../src/providers/models/dialects/model-settings.ts";
import { legalConversations } from "../../../../kit/conversations.ts";
import { times } from "../../../../kit/counts.ts";
import { messagesProblems } from "../../../../kit/messages-validator.ts";
import { modelRequest } from "../../../../kit/model-parts.ts";
import { plainBody } from "../../../../kit/plain-body.ts";

const seeing: EncodingContext = { reader: "p:m", image: () => ({ mediaType: "image/png", base64: "AAAA" }) };
const blind: EncodingContext = { reader: "p:m", image: () => ({ note: "[no image]" }) };
const picture = { type: "image", blob: { hash: "a".repeat(64), size: 3 }, mediaType: "image/png" } as const;
const tool = { name: "ls", description: "Lists.", parameters: { type: "object" } };

const settings: ModelSettings = {
  provider: "p",
  kind: "messages",
  name: "claude-sonnet-4-5",
  endpoint: parseEndpoint("https://api.anthropic.com", "model.base_url"),
  cloud: false,
  keyRemedy: "",
  contextLength: 200_000,
  asksContext: false,
  vision: true,
  stream: true,
};

const body = (
  messages: readonly ModelMessage[],
  change: Parameters<typeof modelRequest>[0] & {
    readonly encoding?: EncodingContext;
    readonly name?: string;
  } = {},
): Record<string, unknown> => {
  const { encoding = seeing, name = settings.name, ...rest } = change;
  const text = plainBody(messagesDialect, {
    request: modelRequest({ ...rest, messages }),
    settings: { ...settings, name },
    without: new Set(),
    encoding,
  });
  return JSON.parse(text) as Record<string, unknown>;
};

const prompt = (text: string): ModelMessage => ({ role: "user", parts: [textPart(text)] });
const mark = { cache_control: { type: "ephemeral" } };

test("every legal conversation becomes a request that the strictest endpoint takes", () => {
  fc.assert(
    fc.property(legalConversations, fc.constantFrom(seeing, blind), (conversation, encoding) => {
      expect(messagesProblems(body(conversation, { encoding, tools: [tool], reasoning: "high" }))).toEqual(
        [],
      );
    }),
    { numRuns: times(5000) },
  );
});

describe("the cache is asked to keep", () => {
  test("the system prompt with the tools before it, and the two newest messages of the user's role", () => {
    const reply: ModelMessage = { role: "assistant", text: "ok", reasoning: "", calls: [] };
    const made = body([prompt("a"), reply, prompt("b"), reply, prompt("c")], { tools: [tool] });
    expect(made["system"]).toEqual([{ type: "text", text: "Be brief.", ...mark }]);
    expect(JSON.stringify(made["tools"])).not.toContain("cache_control");
    const marked = (made["messages"] as { content: object[] }[]).map(({ content }) =>
      content.map((block) => "cache_control" in block),
    );
    expect(marked).toEqual([[false], [false], [true], [false], [true]]);
  });

  test("the tools when there is no system prompt", () => {
    const made = body([prompt("a")], { system: "", tools: [tool, { ...tool, name: "rm" }] });
    expect(made).not.toHaveProperty("system");
    expect(made["tools"]).toEqual([
      { name: "ls", description: "Lists.", input_schema: { type: "object" } },
      { name: "rm", description: "Lists.", input_schema: { type: "object" }, ...mark },
    ]);
  });
});

describe("a round of tools", () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "S" };
  const call = { type: "tool_use", id: "c1", name: "ls", input: { path: "." } };
  const reply: AssistantMessage = {
    role: "assistant",
    text: "Let me look.",
    reasoning: "hm",
    calls: [{ id: "c1", name: "ls", input: { path: "." } }],
    items: {
      dialect: "anthropic-messages",
      model: "p:m",
      items: [{ kind: "opaque", item: thinking }, { kind: "text" }, { kind: "call" }],
    },
  };
  const results: ModelMessage = {
    role: "tool",
    results: [{ callId: "c1", name: "ls", content: [textPart("a"), picture], isError: false }],
  };

  test("has its signed thinking first, and its results in the user's next message, images in them", () => {
    const made = body([prompt("go"), reply, results, prompt("and?")], { reasoning: "medium" });
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "AAAA" },
    };
    expect((made["messages"] as unknown[]).slice(1)).toEqual([
      { role: "assistant", content: [thinking, { type: "text", text: "Let me look." }, call] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "a" }, image] },
          { type: "text", text: "and?", ...mark },
        ],
      },
    ]);
    expect(made["thinking"]).toEqual({ type: "enabled", budget_tokens: 10_000 });
  });

  test("that began without this model's thinking goes on without it, the next prompt thinks again", () => {
    const { items: _none, ...foreign } = reply;
    expect(body([prompt("go"), foreign, results], { reasoning: "medium" })).not.toHaveProperty("thinking");
    expect(body([prompt("go"), reply, results], { reasoning: "medium" })).toHaveProperty("thinking");
    expect(body([prompt("go"), foreign, results, prompt("more")], { reasoning: "medium" })).toHaveProperty(
      "thinking",
    );
  });

  test("marks a failed result", () => {
    const failed: ModelMessage = {
      role: "tool",
      results: [{ callId: "c1", name: "ls", content: [], isError: true }],
    };
    expect(JSON.stringify(body([prompt("go"), reply, failed]))).toContain(
      '"content":[{"type":"text","text":"(no output)"}],"is_error":true',
    );
  });
});

describe("thinking is asked for", () => {
  test.each([
    ["claude-sonnet-4-5", "high", { thinking: { type: "enabled", budget_tokens: 24_000 } }],
    ["claude-3-7-sonnet-latest", "minimal", { thinking: { type: "enabled", budget_tokens: 1024 } }],
    ["claude-opus-4-6", "xhigh", { thinking: { type: "adaptive" }, output_config: { effort: "max" } }],
  ])("of %s with effort %s as %j", (name, reasoning, wish) => {
    expect(body([prompt("a")], { name, reasoning })).toMatchObject(wish);
  });

  test.each([
    ["claude-3-5-sonnet", "high"],
    ["claude-sonnet-4-5", "none"],
    ["claude-sonnet-4-5", undefined],
  ])("not of %s with effort %s", (name, reasoning) => {
    const made = body([prompt("a")], { name, ...(reasoning && { reasoning }) });
    expect(made).not.toHaveProperty("thinking");
    expect(made).not.toHaveProperty("output_config");
  });

  test("within the limit of the reply, or not at all", () => {
    const limited = (maxOutputTokens: number) =>
      body([prompt("a")], { reasoning: "high", maxOutputTokens })["thinking"];
    expect(limited(5000)).toEqual({ type: "enabled", budget_tokens: 3976 });
    expect(limited(2000)).toBeUndefined();
  });
});

test.each([
  ["claude-3-haiku-20240307", 4096],
  ["claude-opus-4-1-20250805", 32_000],
  ["claude-sonnet-4-5", 64_000],
  ["my-model", 8192],
])("the output of %s is limited to %i, since this dialect wants a limit", (name, limit) => {
  expect(body([prompt("a")], { name })["max_tokens"]).toBe(limit);
});
