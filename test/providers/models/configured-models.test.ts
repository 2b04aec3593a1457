import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import type { Models } from "../../../src/core/ports/model.ts";
import { configuredModels, parseModelsConfig } from "../../../src/providers/models/index.ts";
import { handClock } from "../../kit/clock.ts";
import { ask, joined } from "../../kit/model-parts.ts";
import { refusingUrl, reply, startModelServer } from "../../kit/model-server/index.ts";

type Env = Readonly<Record<string, string>>;

const open = (block?: object, env: Env = {}): Models =>
  configuredModels(parseModelsConfig(block), { env, clock: handClock() });

const local = (extra: object = {}): object => ({
  provider: "local",
  base_url: "http://127.0.0.1:1/v1",
  default: "llama3:8b",
  ...extra,
});

function refusal(run: () => unknown): HostError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof HostError) return thrown;
    throw thrown;
  }
  throw new Error("It was not refused.");
}

describe("a model", () => {
  test("is the demo when nothing is configured", () => {
    const model = open().resolve({});
    expect([model.provider, model.name]).toEqual(["demo", "demo"]);
  });

  test("says what is missing before it is asked", () => {
    const openai = { provider: "openai", default: "gpt-4o" };
    expect(refusal(() => open(openai).ready?.({}))).toMatchObject({ code: "provider_auth" });
    expect(refusal(() => open({ provider: "openai" }).ready?.({}))).toMatchObject({
      code: "model_not_configured",
    });
    for (const models of [open(), open(local()), open(openai, { OPENAI_API_KEY: "sk-1" })])
      expect(models.ready?.({})).toBeUndefined();
  });

  test("is found by where its provider is, however the address is written", () => {
    const models = open(local({ providers: { gpu: { kind: "local", base_url: "http://gpu:8000" } } }));
    for (const [address, name] of [
      ["http://127.0.0.1:1/v1/", "local"],
      ["http://GPU:8000/v1/chat/completions", "gpu"],
      ["http://gpu:8001/v1", undefined],
      ["http://user:pw@gpu:8000/v1", undefined],
      ["gpu", undefined],
    ] as const)
      expect([address, models.providerAt?.(address)]).toEqual([address, name]);
  });

  test("is the configured default, and the same object each time", () => {
    const models = open(local());
    const model = models.resolve({});
    expect([model.provider, model.name]).toEqual(["local", "llama3:8b"]);
    expect(models.resolve({ provider: "local", model: "llama3:8b" })).toBe(model);
    expect(models.resolve({ model: "qwen3" }).name).toBe("qwen3");
  });

  test("of another provider is chosen by its name", () => {
    const models = open(
      local({ providers: { work: { kind: "openai", key_env: "WORK", default: "gpt-4o" } } }),
    );
    expect(models.resolve({ provider: "work" })).toMatchObject({
      provider: "work",
      name: "gpt-4o",
      contextLength: 128_000,
      vision: true,
    });
    expect(models.resolve({ provider: "demo" }).name).toBe("demo");
  });

  test("has what its owner says of it before what is known of its name", () => {
    const models = open(
      local({
        context_length: 50_000,
        vision: true,
        models: { small: { context_length: 9000, vision: false } },
      }),
    );
    expect(models.resolve({})).toMatchObject({ contextLength: 50_000, vision: true });
    expect(models.resolve({ model: "small" })).toMatchObject({ contextLength: 9000, vision: false });
  });

  test("of the provider that is named in providers has the settings of both places, the block's first", () => {
    const models = open({
      provider: "box",
      default: "b",
      providers: { box: { base_url: "http://box/v1", default: "a", context_length: 70_000 } },
    });
    expect(models.resolve({})).toMatchObject({ provider: "box", name: "b", contextLength: 70_000 });
  });
});

describe("what cannot be resolved says what to do", () => {
  test.each<[string, object | undefined, { provider?: string; model?: string }, string, RegExp]>([
    ["a model of the demo", undefined, { model: "gpt-4o" }, "model_unknown", /agent setup/],
    ["an unknown provider", local(), { provider: "cloud" }, "model_unknown", /configured are demo, local/],
    [
      "a provider without a model",
      local({ default: undefined }),
      {},
      "model_not_configured",
      /model\.default is not set/,
    ],
    [
      "an entry without a model",
      local({ providers: { box: {} } }),
      { provider: "box" },
      "model_not_configured",
      /model\.providers\.box\.default/,
    ],
    [
      "a cloud service without an address",
      { provider: "cloud-foundry", default: "gpt-4o" },
      {},
      "model_not_configured",
      /CLOUD_FOUNDRY_BASE_URL/,
    ],
  ])("%s", (_title, ...[block, ref, code, remedy]) => {
    const error = refusal(() => open(block).resolve(ref));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(remedy);
    expect(error.details.subject).toBeDefined();
  });

  test.each<[string, object, Env, string]>([
    ["a provider that is nothing", { provider: "cloudy", default: "x" }, {}, "model.provider"],
    ["a default without a provider", { default: "gpt-4o" }, {}, "model.provider"],
    ["an address that is none", local({ base_url: "nowhere" }), {}, "model.base_url"],
    [
      "an entry with an address that is none",
      local({ providers: { box: { base_url: "nowhere" } } }),
      {},
      "model.providers.box.base_url",
    ],
    [
      "an address in the environment that is none",
      { provider: "cloud-foundry" },
      { CLOUD_FOUNDRY_BASE_URL: "nowhere" },
      "CLOUD_FOUNDRY_BASE_URL",
    ],
    ["a stand-in of nobody", local({ fallback: ["demo:gpt-4o"] }), {}, "model.fallback"],
    ["a deadline that is none", {}, { AGENT_API_TIMEOUT: "soon" }, "AGENT_API_TIMEOUT"],
  ])("%s, before anything is asked", (_title, ...[block, env, subject]) => {
    const error = refusal(() => open(block, env));
    expect(error).toMatchObject({ code: "config_invalid", details: { subject } });
    expect(error.message).toContain(subject);
  });
});

test("models stand in for others in the configured order, each once", () => {
  const models = open(local({ fallback: ["demo", "qwen3"], models: ["qwen3"] }));
  const main = models.resolve({});
  const second = models.fallback?.([main]);
  expect(second?.provider).toBe("demo");
  const third = models.fallback?.([main, models.resolve({ provider: "demo" })]);
  expect(third?.name).toBe("qwen3");
  expect(
    models.fallback?.([main, ...[second, third].filter((model) => model !== undefined)]),
  ).toBeUndefined();
});

test("an address without a provider is a local server", () => {
  expect(open({ base_url: "http://127.0.0.1:1", default: "x" }).resolve({}).provider).toBe("local");
});

test("providers whose key is in the environment are there without being configured", () => {
  const models = open(undefined, { OPENAI_API_KEY: "k", CLOUD_FOUNDRY_API_KEY: "k" });
  expect(models.resolve({}).name).toBe("demo");
  expect(models.resolve({ provider: "openai", model: "gpt-4o" }).provider).toBe("openai");
  // The cloud service has no address of its own.
  expect(models.parse("cloud-foundry:gpt-4o")).toEqual({ provider: "cloud-foundry", model: "gpt-4o" });
});

describe("what people type", () => {
  const models = open(local({ providers: { work: { kind: "messages" } } }), { ANTHROPIC_API_KEY: "k" });

  test.each([
    ["llama3:8b", { model: "llama3:8b" }],
    ["gpt-4o", { model: "gpt-4o" }],
    ["work:claude:latest", { provider: "work", model: "claude:latest" }],
    [" local: qwen3 ", { provider: "local", model: "qwen3" }],
    ["demo", { provider: "demo" }],
    ["work:", { provider: "work" }],
    ["anthropic:claude", { provider: "messages", model: "claude" }],
    ["openai:gpt-4o", { provider: "openai", model: "gpt-4o" }],
    ["gemini:gemini-2.5-pro", { provider: "gemini", model: "gemini-2.5-pro" }],
    ["openai", { model: "openai" }],
    ["", {}],
  ])("%j is %j", (text, ref) => {
    expect(models.parse(text)).toEqual(ref);
  });
});

describe("prices", () => {
  const usage = { calls: 1, input: 1_000_000, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  const priceOf = (
    block: object | undefined,
    ref: { provider?: string; model?: string } = {},
    env: Env = {},
  ): number | undefined => {
    const models = open(block, env);
    return models.price(models.resolve(ref), usage);
  };

  test("are 0 for the demo and for what runs at home", () => {
    expect(priceOf(undefined)).toBe(0);
    expect(priceOf(local())).toBe(0);
  });

  test("are the configured ones, wherever it runs", () => {
    expect(priceOf(local({ prices: { "llama3:8b": { input: 3, output: 1 } } }))).toBe(3);
    expect(
      priceOf({ provider: "openai", default: "gpt-4o", prices: { "gpt-4o": { input: 9, output: 1 } } }),
    ).toBe(9);
  });

  test("are the list's for known models of known services", () => {
    expect(priceOf({ provider: "openai", default: "gpt-4o" })).toBe(2.5);
  });

  test("are not known for all others", () => {
    expect(priceOf({ provider: "openai", default: "my-own-model" })).toBeUndefined();
    expect(
      priceOf({ provider: "local", base_url: "https://router.example.com/v1", default: "gpt-4o" }),
    ).toBeUndefined();
  });
});

describe("the list of models", () => {
  const list = (models: Models) => models.list(new AbortController().signal);

  test("has the configured ones, and what the endpoints list; the default is marked", async () => {
    await using server = await startModelServer({
      models: ["llama3:8b", "qwen3", "gpt-4o", "text-embedding-3-small"],
    });
    const models = open(
      local({
        base_url: server.baseUrl,
        models: { qwen3: { label: "Q", context_length: 40_000 }, extra: null },
        providers: { work: { kind: "openai", base_url: server.baseUrl, key_env: "K", default: "gpt-4o" } },
      }),
      { K: "k" },
    );
    expect(await list(models)).toEqual([
      { provider: "demo", model: "demo", current: false },
      { provider: "work", model: "llama3:8b", current: false },
      { provider: "work", model: "qwen3", current: false },
      { provider: "work", model: "gpt-4o", current: false },
      { provider: "local", model: "llama3:8b", current: true },
      { provider: "local", model: "qwen3", label: "Q", contextLength: 40_000, current: false },
      { provider: "local", model: "gpt-4o", current: false },
      { provider: "local", model: "text-embedding-3-small", current: false },
      { provider: "local", model: "extra", current: false },
    ]);
  });

  test("does without an endpoint that is down, and without one that has no key", async () => {
    const models = open(
      local({ base_url: await refusingUrl(), providers: { openai: { default: "gpt-4o" } } }),
    );
    expect(await list(models)).toEqual([
      { provider: "demo", model: "demo", current: false },
      { provider: "openai", model: "gpt-4o", current: false },
      { provider: "local", model: "llama3:8b", current: true },
    ]);
  });

  test("of the cloud service has the configured ones only (rule 6), and nothing is asked", async () => {
    const models = open(
      { provider: "cloud-foundry", base_url: await refusingUrl(), default: "gpt-4o" },
      { CLOUD_FOUNDRY_API_KEY: "k" },
    );
    expect(await list(models)).toEqual([
      { provider: "demo", model: "demo", current: false },
      { provider: "cloud-foundry", model: "gpt-4o", current: true },
    ]);
  });

  test("of the vendor of messages is asked for in that dialect's way", async () => {
    const asked: IncomingMessage[] = [];
    await using server = await startModelServer({
      answerList(response) {
        asked.push(response.req);
        response.end('{"data":[{"type":"model","id":"claude-two"}]}');
      },
    });
    const models = open(
      { provider: "messages", default: "claude-one" },
      { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "k" },
    );
    expect((await list(models)).map(({ model }) => model)).toEqual(["demo", "claude-two", "claude-one"]);
    expect(asked.map(({ url }) => url)).toEqual(["/v1/models?api-version=2025-04-15&limit=1000"]);
    expect(asked[0]?.headers).toMatchObject({ "x-api-key": "k", "anthropic-version": "2023-06-01" });
  });

  test("is there after 6 s although an endpoint does not answer", async () => {
    const clock = handClock();
    const arrived = Promise.withResolvers<void>();
    await using server = await startModelServer({ answerList: () => arrived.resolve() });
    const models = configuredModels(parseModelsConfig(local({ base_url: server.baseUrl })), {
      env: {},
      clock,
    });
    const listing = list(models);
    await arrived.promise;
    clock.advance(6000);
    expect(await listing).toHaveLength(2);
  });
});

describe("requests", () => {
  const sent = async (block: object, env: Env, change: Parameters<typeof ask>[1] = {}) => {
    await using server = await startModelServer();
    const base = "base_url" in block ? String(block.base_url) : "";
    server.script(reply("ok"));
    const { parts, error } = await ask(
      open({ ...block, base_url: `${server.baseUrl}${base}` }, env).resolve({}),
      change,
    );
    expect(error).toBeUndefined();
    expect(joined(parts)).toBe("ok");
    return server.request(1);
  };

  test("carry the query of a legacy address unchanged (rule 3)", async () => {
    const request = await sent(
      { provider: "cloud-foundry", default: "gpt-4o", base_url: "?api-version=2024-10-21" },
      { CLOUD_FOUNDRY_API_KEY: "k" },
    );
    expect(request.query).toEqual({ "api-version": "2024-10-21" });
    expect(request.path).toBe("/v1/chat/completions");
  });

  test.each([
    ["gpt-4o", { max_completion_tokens: 77 }],
    ["gpt-4", { max_tokens: 77 }],
  ])("limit the output of %s as it wants it (rule 2)", async (model, limit) => {
    const { body } = await sent(
      { provider: "openai", default: model, max_output_tokens: 500 },
      { OPENAI_API_KEY: "k" },
      { maxOutputTokens: 77 },
    );
    expect(body).toMatchObject(limit);
  });

  test("prove who asks with a bearer key, and with api-key too on hosts of the cloud service", async () => {
    const plain = await sent(
      { provider: "cloud-foundry", default: "gpt-4o" },
      { CLOUD_FOUNDRY_API_KEY: "k1" },
    );
    expect(plain.headers).toMatchObject({ authorization: "Bearer k1" });
    expect(plain.headers).not.toHaveProperty("api-key");
    const cloud = await sent(
      { provider: "cloud-foundry", default: "gpt-4o", cloud_domains: ["127.0.0.1"] },
      { CLOUD_FOUNDRY_API_KEY: "k1" },
    );
    expect(cloud.headers).toMatchObject({ authorization: "Bearer k1", "api-key": "k1" });
  });

  test("to a local server need no key, and send none", async () => {
    const { headers } = await sent(
      { provider: "local", default: "m" },
      { OPENAI_API_KEY: "not-for-this-one" },
    );
    expect(headers).not.toHaveProperty("authorization");
  });

  test("say nothing about this machine", async () => {
    const { headers } = await sent({ provider: "local", default: "m" }, {});
    expect(Object.keys(headers).sort()).toEqual([
      "accept",
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
    ]);
    expect(headers["user-agent"]).toBe("agent-host");
  });

  test("without a key are not made: the error names the variable", async () => {
    await using server = await startModelServer();
    for (const [block, variable] of [
      [{ provider: "openai" }, "OPENAI_API_KEY"],
      [{ provider: "cloud-foundry" }, "CLOUD_FOUNDRY_API_KEY"],
      [{ provider: "local", key_env: "BOX_KEY" }, "BOX_KEY"],
    ] as const) {
      const { error } = await ask(
        open({ ...block, base_url: server.baseUrl, default: "gpt-4o" }).resolve({}),
      );
      expect(error).toMatchObject({ code: "provider_auth", details: { subject: variable } });
    }
    expect(server.requests).toEqual([]);
  });

  test.each(["chat_completions", "responses_api"])(
    "name the faster tier of %s when it is wanted and known",
    async (api_mode) => {
      const block = { provider: "local", default: "m", api_mode };
      const fast = { fast: true };
      expect((await sent({ ...block, fast_tier: "priority" }, {}, fast)).body).toMatchObject({
        service_tier: "priority",
      });
      expect((await sent({ ...block, fast_tier: "priority" }, {})).body).not.toHaveProperty("service_tier");
      expect((await sent(block, {}, fast)).body).not.toHaveProperty("service_tier");
    },
  );

  test("ask for a reasoning effort of models that have one, and for none of others", async () => {
    const env = { OPENAI_API_KEY: "k" };
    expect((await sent({ provider: "openai", default: "o3" }, env, { reasoning: "max" })).body).toMatchObject(
      { reasoning_effort: "high" },
    );
    expect(
      (await sent({ provider: "openai", default: "gpt-4o" }, env, { reasoning: "max" })).body,
    ).not.toHaveProperty("reasoning_effort");
  });
});
