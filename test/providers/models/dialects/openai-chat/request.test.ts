import { expect, test } from "vitest";
import { parseEndpoint } from "../../../../../src/providers/models/config/parse-endpoint.ts";
import { chatDialect } from "../../../../../src/providers/models/dialects/openai-chat/dialect.ts";
import type { ModelSettings } from "../../../../../src/providers/models/dialects/model-settings.ts";
import { chatProblems } from "../../../../kit/chat-validator.ts";
import { modelRequest } from "../../../../kit/model-parts.ts";
import { plainBody } from "../../../../kit/plain-body.ts";

const settings = (change: Partial<ModelSettings> & { readonly address?: string } = {}): ModelSettings => ({
  provider: "openai",
  kind: "openai",
  name: "gpt-4o",
  endpoint: parseEndpoint(change.address ?? "https://api.openai.com/v1", "model.base_url"),
  cloud: false,
  keyRemedy: "",
  contextLength: 128_000,
  asksContext: false,
  vision: true,
  stream: true,
  ...change,
});

const tool = { name: "ls", description: "Lists.", parameters: { type: "object" } };

const body = (
  request: Parameters<typeof modelRequest>[0] = {},
  change: Parameters<typeof settings>[0] = {},
): unknown =>
  JSON.parse(
    plainBody(chatDialect, {
      request: modelRequest(request),
      settings: settings(change),
      without: new Set(),
      encoding: { reader: undefined, image: () => ({ note: "" }) },
    }),
  );

test("a streamed request asks for its usage", () => {
  expect(body({ tools: [tool] })).toEqual({
    model: "gpt-4o",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
    ],
    tools: [{ type: "function", function: tool }],
    stream: true,
    stream_options: { include_usage: true },
    prompt_cache_key: "session-1",
  });
});

test("what is not needed is not sent", () => {
  expect(body({ system: "" }, { stream: false, address: "http://localhost:8080" })).toEqual({
    model: "gpt-4o",
    messages: [{ role: "user", content: "hi" }],
  });
});

test("the output limit is the request's, else the model's", () => {
  expect(body({ maxOutputTokens: 5 }, { maxOutputTokens: 9 })).toMatchObject({ max_completion_tokens: 5 });
  expect(body({}, { maxOutputTokens: 9, name: "llama3" })).toMatchObject({ max_tokens: 9 });
});

test("any names and texts make legal JSON", () => {
  const odd = '"\\\u0000\ud800';
  expect(
    chatProblems(body({ system: odd, cacheKey: odd, tools: [{ ...tool, description: odd }] }, { name: odd })),
  ).toEqual([]);
});
