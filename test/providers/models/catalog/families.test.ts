import { describe, expect, test } from "vitest";
import {
  effortFor,
  outputLimitKey,
  usualContext,
  usuallySees,
} from "../../../../src/providers/models/catalog/families.ts";

test.each([
  ["gpt-4o", "max_completion_tokens"],
  ["gpt-4o-mini-2024-07-18", "max_completion_tokens"],
  ["openai/GPT-4o", "max_completion_tokens"],
  ["o1", "max_completion_tokens"],
  ["o3-mini", "max_completion_tokens"],
  ["o4-mini", "max_completion_tokens"],
  ["gpt-5", "max_completion_tokens"],
  ["gpt-5.1-codex", "max_completion_tokens"],
  ["gpt-4", "max_tokens"],
  ["gpt-4.1", "max_tokens"],
  ["gpt-3.5-turbo", "max_tokens"],
  ["llama-3.3-70b", "max_tokens"],
  ["mistral-large", "max_tokens"],
  ["olmo-2", "max_tokens"],
])("rule 2: %s takes its limit as %s", (model, key) => {
  expect(outputLimitKey(model)).toBe(key);
});

test.each([
  ["gpt-4o", 128_000, true],
  ["gpt-4.1-mini", 1_047_576, true],
  ["gpt-4", 8192, false],
  ["o3-mini", 200_000, false],
  ["o3", 200_000, true],
  ["gpt-5-mini", 400_000, true],
  ["meta-llama/Llama-3.3-70B-Instruct", 131_072, false],
  ["qwen2.5-vl:7b", 131_072, true],
  ["claude-sonnet-4-5", 200_000, true],
  ["my-own-model", 256_000, undefined],
])("%s has %i tokens of context, and sees: %s", (model, context, vision) => {
  expect(usualContext(model, { local: false })).toBe(context);
  expect(usuallySees(model)).toBe(vision);
});

test("a local model that nobody knows has 64,000 tokens", () => {
  expect(usualContext("my-own-model", { local: true })).toBe(64_000);
});

describe("a reasoning effort", () => {
  test.each([
    ["o3", "minimal", "low"],
    ["o3", "high", "high"],
    ["o3", "max", "high"],
    ["gpt-5", "none", "minimal"],
    ["gpt-5", "xhigh", "high"],
    ["gpt-5.1", "none", "none"],
    ["gpt-5.1", "minimal", "none"],
    ["gpt-5.2", "max", "xhigh"],
    ["openai/gpt-oss-120b", "medium", "medium"],
    ["gpt-4o", "high", undefined],
    ["my-own-model", "high", undefined],
    ["o3", undefined, undefined],
    ["o3", "enormous", undefined],
  ])("for %s, asked as %s, is sent as %s", (model, wish, sent) => {
    expect(effortFor(model, wish)).toBe(sent);
  });

  test("is what the owner says that a model takes", () => {
    expect(effortFor("my-own-model", "high", true)).toBe("high");
    expect(effortFor("o3", "high", false)).toBeUndefined();
  });
});
