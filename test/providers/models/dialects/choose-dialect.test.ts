import { expect, test } from "vitest";
import { chooseDialect } from "../../../../src/providers/models/dialects/choose-dialect.ts";

const BASE = "https://x.example.com/openai/v1";

test.each(["gpt-5", "gpt-5.1-chat", "GPT-5-mini", "codex-mini", "o1", "o3-mini", "o4-mini", "openai/o3"])(
  "rule 1: %s of the cloud service is reached by responses_api, whatever api_mode says",
  (model) => {
    for (const apiMode of [undefined, "chat_completions", "responses_api"] as const) {
      expect(chooseDialect({ kind: "cloud-foundry", model, baseUrl: BASE, configuredMode: apiMode })).toBe(
        "responses_api",
      );
    }
  },
);

test.each(["gpt-4", "gpt-4o", "llama-3.3-70b", "mistral-large", "deepseek-v3", "gpt-4.1"])(
  "rule 1: %s stays on chat_completions",
  (model) => {
    expect(chooseDialect({ kind: "cloud-foundry", model, baseUrl: BASE })).toBe("chat_completions");
  },
);

test("names decide nothing for other providers", () => {
  for (const kind of ["openai", "local"] as const) {
    expect(chooseDialect({ kind, model: "gpt-5", baseUrl: BASE })).toBe("chat_completions");
    expect(chooseDialect({ kind, model: "gpt-4o", baseUrl: BASE, configuredMode: "responses_api" })).toBe(
      "responses_api",
    );
  }
});

test.each(["https://x.example.com/anthropic", "https://x.example.com/anthropic-style/v1"])(
  "the marker in the path of %s means messages_api",
  (baseUrl) => {
    expect(chooseDialect({ kind: "cloud-foundry", model: "gpt-5", baseUrl })).toBe("messages_api");
    expect(
      chooseDialect({ kind: "cloud-foundry", model: "gpt-4o", baseUrl, configuredMode: "chat_completions" }),
    ).toBe("chat_completions");
  },
);

test("the messages provider is reached by messages_api only", () => {
  expect(
    chooseDialect({ kind: "messages", model: "claude", baseUrl: BASE, configuredMode: "chat_completions" }),
  ).toBe("messages_api");
});
