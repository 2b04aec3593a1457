import { describe, expect, test } from "vitest";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import { parseModelsConfig } from "../../../../src/providers/models/config/models-config.ts";

test("an absent block configures nothing", () => {
  for (const block of [undefined, null, {}]) expect(parseModelsConfig(block)).toEqual({});
});

test("the block of the specification is read", () => {
  const block = {
    provider: "cloud-foundry",
    base_url: "https://x.services.example/openai/v1",
    api_mode: "chat_completions",
    auth_mode: "identity_service",
    default: "gpt-4o",
    context_length: 128_000,
    identity: { scope: "https://x/.default" },
    key_env: "MY_KEY",
  };
  expect(parseModelsConfig(block)).toEqual({
    provider: "cloud-foundry",
    baseUrl: "https://x.services.example/openai/v1",
    apiMode: "chat_completions",
    authMode: "identity_service",
    default: "gpt-4o",
    contextLength: 128_000,
    identityScope: "https://x/.default",
    keyEnv: "MY_KEY",
  });
});

test("a blank scope means the default one", () => {
  expect(parseModelsConfig({ identity: { scope: " " } })).toEqual({});
});

test.each(["key_env", "api_key_env", "keyEnv", "apiKeyEnv"])(
  "the key's variable may be named by %s, key_env first",
  (alias) => {
    expect(parseModelsConfig({ [alias]: "A" })).toEqual({ keyEnv: "A" });
    expect(parseModelsConfig({ [alias]: "A", key_env: "B" })).toEqual({ keyEnv: "B" });
  },
);

test("further providers, models and prices are read", () => {
  const config = parseModelsConfig({
    provider: "anthropic",
    providers: {
      box: { kind: "local", base_url: "http://box:8000/v1", models: ["llama3:8b"], vision: true },
    },
    models: { big: { context_length: 1_000_000, label: "Big" }, small: null },
    prices: { big: { input: 2, output: 8, cache_read: 0.5 }, other: { input: 0, output: 0 } },
  });
  expect(config.provider).toBe("messages");
  expect(config.providers?.get("box")).toEqual({
    kind: "local",
    baseUrl: "http://box:8000/v1",
    vision: true,
    models: new Map([["llama3:8b", {}]]),
  });
  expect(config.models).toEqual(
    new Map([
      ["big", { contextLength: 1_000_000, label: "Big", price: { input: 2, output: 8, cacheRead: 0.5 } }],
      ["small", {}],
      ["other", { price: { input: 0, output: 0 } }],
    ]),
  );
});

describe("a setting that is wrong is named, with what belongs there", () => {
  test.each<[object | string, string, RegExp]>([
    [{ contextLength: 5 }, "model.contextLength", /no setting.*Did you mean context_length\?/],
    [{ modl: 1 }, "model.modl", /Did you mean models\?/],
    [{ colour: 1 }, "model.colour", /Remove it/],
    [{ context_length: "big" }, "model.context_length", /whole number of tokens/],
    [{ context_length: 12 }, "model.context_length", /at least 1000/],
    [{ api_mode: "chat" }, "model.api_mode", /chat_completions, responses_api, messages_api/],
    [{ auth_mode: "magic" }, "model.auth_mode", /identity_service/],
    [{ key_env: "sk-proj-123 456" }, "model.key_env", /never the key itself/],
    [{ prices: { a: { input: 1 } } }, "model.prices.a.output", /US dollars per million/],
    [{ prices: { a: { input: -1, output: 1 } } }, "model.prices.a.input", /0 or more/],
    [{ models: { x: { vison: true } } }, "model.models.x.vison", /Did you mean vision\?/],
    [{ providers: { box: { base_url: 3 } } }, "model.providers.box.base_url", /address/],
    [{ providers: { "a:b": {} } }, "model.providers.a:b", /letters, digits/],
    [{ providers: { box: { kind: "best" } } }, "model.providers.box.kind", /one of cloud-foundry/],
    ["gpt-4o", "model", /block of settings/],
  ])("%j", (block, subject, remedy) => {
    const parse = (): unknown => parseModelsConfig(block);
    expect(parse).toThrow(HostError);
    expect(parse).toThrow(remedy);
    expect(parse).toThrow(expect.objectContaining({ code: "config_invalid", details: { subject } }) as Error);
  });

  test("and a key that stands in the wrong place is not repeated", () => {
    for (const block of [
      { key_env: "sk-very-secret" },
      { api_key: { a: "sk-very-secret" } },
      { default: ["sk-very-secret"] },
    ]) {
      expect(() => parseModelsConfig(block)).not.toThrow(/very-secret/);
      expect(() => parseModelsConfig(block)).toThrow(HostError);
    }
  });

  test("with the number of further ones", () => {
    expect(() => parseModelsConfig({ default: 1, vision: 2, stream: 3 })).toThrow(/and 2 more/);
  });
});
