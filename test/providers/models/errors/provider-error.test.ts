import { describe, expect, test } from "vitest";
import type { HostError } from "../../../../src/shared/errors/host-error.ts";
import {
  classifyRefusal,
  classifyErrorObject,
  type ProviderErrorCode,
} from "../../../../src/providers/models/errors/provider-error.ts";

const IDENTITY = {
  provider: "work",
  model: "gpt-4o",
  host: "models.example.com",
  keyRemedy: "Check the key in WORK_KEY.",
  secrets: ["sk-secret"],
};
const NOW = Date.UTC(2026, 0, 1);

function error(
  status: number,
  body: string | object = "",
  headers: Readonly<Record<string, string>> = {},
): HostError {
  const text = typeof body === "string" ? body : JSON.stringify({ error: body });
  return classifyRefusal({ status, header: (name) => headers[name], body: text }, IDENTITY, NOW);
}

describe("an answer's class comes from its status and its words", () => {
  test.each<[ProviderErrorCode, number, string | object]>([
    ["provider_auth", 401, { message: "Incorrect API key provided: sk-abc", code: "invalid_api_key" }],
    ["provider_auth", 401, ""],
    ["provider_auth", 403, { message: "You do not have access" }],
    ["provider_auth", 407, "Proxy Authentication Required"],
    [
      "provider_auth",
      400,
      { message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" },
    ],
    ["provider_quota", 402, { message: "Payment Required" }],
    ["provider_quota", 403, { message: "Billing hard limit has been reached" }],
    [
      "provider_quota",
      429,
      {
        message: "You exceeded your current quota, please check your plan and billing details.",
        code: "insufficient_quota",
      },
    ],
    ["provider_quota", 429, { code: "credit_balance_exhausted", message: "x" }],
    ["provider_quota", 429, { code: "project_spend_limit_exceeded", message: "Spend limit reached" }],
    ["provider_quota", 400, { message: "Your credit balance is too low to access the API." }],
    ["provider_quota", 429, { message: "Monthly quota used up" }],
    ["provider_rate_limit", 402, { message: "Usage limit, try again in 5 minutes" }],
    [
      "provider_rate_limit",
      429,
      {
        message:
          "Rate limit reached for gpt-4o in organization org on tokens per min (TPM): Limit 30000. Please try again in 2s.",
      },
    ],
    [
      "provider_rate_limit",
      429,
      {
        message:
          "You exceeded your current quota, please check your plan and billing details. Please retry in 20s.",
      },
    ],
    ["provider_rate_limit", 429, "Too Many Requests"],
    ["provider_rate_limit", 429, ""],
    ["provider_rate_limit", 400, { message: "Rate limit exceeded" }],
    ["provider_overloaded", 429, { message: "The engine is currently overloaded, please try again later" }],
    ["provider_overloaded", 409, ""],
    ["provider_overloaded", 500, { message: "The server had an error while processing your request" }],
    ["provider_overloaded", 502, "<html><title>502 Bad Gateway</title></html>"],
    ["provider_overloaded", 503, "no healthy upstream"],
    ["provider_overloaded", 504, ""],
    ["provider_overloaded", 529, { type: "overloaded_error", message: "Overloaded" }],
    ["provider_bad_request", 500, { type: "invalid_request_error", message: "Invalid request" }],
    ["provider_bad_request", 400, { message: "Unsupported parameter: 'max_tokens'" }],
    [
      "provider_bad_request",
      400,
      { message: "'max_tokens' must be at most 4096", type: "invalid_request_error" },
    ],
    [
      "provider_bad_request",
      400,
      { message: "The response was filtered due to the content management policy", code: "content_filter" },
    ],
    [
      "provider_bad_request",
      400,
      { message: "max_tokens: 100000 exceeds the limit of 8192 tokens for this model" },
    ],
    ["provider_bad_request", 405, ""],
    ["provider_bad_request", 422, { message: "Input should be a valid string" }],
    [
      "provider_not_found",
      404,
      {
        message: "The model `gpt-9` does not exist or you do not have access to it.",
        code: "model_not_found",
      },
    ],
    ["provider_not_found", 404, { message: "Resource not found", code: "404" }],
    [
      "provider_not_found",
      404,
      { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." },
    ],
    ["provider_not_found", 400, { message: "foo/bar is not a valid model ID" }],
    ["provider_not_found", 301, ""],
    ["provider_network", 408, ""],
    ["provider_context_overflow", 413, ""],
  ])("%s: %i %j", (code, status, body) => {
    expect(error(status, body).code).toBe(code);
  });

  test.each([
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "context_length_exceeded",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "the request exceeds the available context size. try increasing the context size",
    "Input is too long for requested model.",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Requested token count exceeds the model's maximum context length of 32768 tokens.",
    "Please reduce the length of the messages or completion.",
    "Your request exceeded model token limit: 131072 (context window)",
    "'max_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 4000 input tokens",
    "too many tokens in the prompt",
  ])("provider_context_overflow: %s", (message) => {
    expect(error(400, { message, type: "invalid_request_error" }).code).toBe("provider_context_overflow");
  });

  test("a request that no waiting makes smaller is an overflow, also as 429", () => {
    expect(error(429, { message: "Request too large for gpt-4o on tokens per min (TPM)" }).code).toBe(
      "provider_context_overflow",
    );
  });
});

describe("an error inside a stream", () => {
  test.each<[ProviderErrorCode, unknown]>([
    ["provider_rate_limit", { type: "rate_limit_error", message: "slow down" }],
    ["provider_overloaded", { type: "overloaded_error", message: "Overloaded" }],
    ["provider_overloaded", { message: "something broke" }],
    ["provider_overloaded", { code: 502, message: "Provider returned error" }],
    ["provider_bad_request", { type: "invalid_request_error", message: "no" }],
    ["provider_quota", { code: 402, message: "Insufficient credits" }],
    ["provider_auth", { code: "unauthorized" }],
    ["provider_overloaded", "oops"],
    ["provider_overloaded", null],
  ])("is %s: %j", (code, value) => {
    expect(classifyErrorObject(value, IDENTITY).code).toBe(code);
  });
});

describe("the message", () => {
  test("names host, status and model, says what was said, and what to do", () => {
    expect(error(401, { message: "Wrong key sk-secret" }).message).toBe(
      'models.example.com answered 401 for gpt-4o: "Wrong key [secret]". Check the key in WORK_KEY.',
    );
    expect(error(429, "", { "retry-after": "12" }).message).toBe(
      "models.example.com answered 429 for gpt-4o. Try again in 12 s, or switch the model with /model.",
    );
    expect(error(404).message).toContain("base_url of work");
  });

  test("of a model that answers in another dialect only says so", () => {
    expect(error(400, { message: "The requested operation is unsupported." }).message).toContain(
      "does not answer in this dialect: set api_mode",
    );
  });

  test("of a redirect names its target without the secrets in it", () => {
    const { message } = error(302, "", { location: "https://user:pass@login.example.com/path?token=abc#x" });
    expect(message).toContain("a redirect to https://login.example.com/path, which is not followed");
    expect(message).not.toMatch(/pass|token/);
    expect(error(308, "", { location: "/v2/chat" }).message).toContain("a redirect to /v2/chat");
    expect(error(300).message).toContain("a redirect, which is not followed");
  });
});

test("details carry status, retry time and the endpoint's id of the request", () => {
  expect(error(429, "", { "retry-after": "2", "x-request-id": "req_1" }).details).toEqual({
    status: 429,
    retryAfterMs: 2000,
    requestId: "req_1",
  });
  expect(error(500, "", { "apim-request-id": "a-b" }).details).toEqual({ status: 500, requestId: "a-b" });
  expect(error(500, "", { "x-request-id": "no\tid" }).details).toEqual({ status: 500 });
  expect(classifyErrorObject({ code: 429 }, IDENTITY).details).toEqual({ status: 429 });
});
