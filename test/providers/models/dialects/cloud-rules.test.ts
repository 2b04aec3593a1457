import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { configuredModels, parseModelsConfig } from "../../../../src/providers/models/index.ts";
import { ask, joined } from "../../../kit/model-parts.ts";
import { type RecordedRequest, reply, startModelServer } from "../../../kit/model-server/index.ts";

/** Hosts of the tests count as hosts of the cloud service where they are named here. */
const CLOUD = { cloud_domains: ["127.0.0.1"] };
const KEY = { CLOUD_FOUNDRY_API_KEY: "cloud-key" };

/** The request that a configuration makes of a prompt; `base` is appended to the server's address. */
async function sent(
  { base = "", ...block }: { readonly base?: string } & Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = KEY,
  change: Parameters<typeof ask>[1] = {},
): Promise<RecordedRequest> {
  await using server = await startModelServer();
  server.script(reply("ok"));
  const config = parseModelsConfig({ provider: "cloud-foundry", base_url: `${server.url}${base}`, ...block });
  await using models = configuredModels(config, { env, clock: systemClock });
  const { parts, error } = await ask(models.resolve({}), change);
  expect(error).toBeUndefined();
  expect(joined(parts)).toBe("ok");
  return await server.request(1);
}

describe("rule 1: some families answer only in the responses dialect", () => {
  test.each(["gpt-5", "gpt-5.1-mini", "codex-mini-latest", "o1", "o3", "o4-mini"])(
    "%s is switched to it even when api_mode reads chat_completions",
    async (model) => {
      const { path } = await sent({ default: model, api_mode: "chat_completions", base: "/openai/v1" });
      expect(path).toBe("/openai/v1/responses");
    },
  );

  test.each(["gpt-4", "gpt-4o", "llama-3.3-70b-instruct", "mistral-large-2411"])(
    "%s stays on chat completions",
    async (model) => {
      const { path } = await sent({ default: model, base: "/openai/v1" });
      expect(path).toBe("/openai/v1/chat/completions");
    },
  );
});

describe("rule 2: max_completion_tokens", () => {
  test.each([
    ["gpt-4o", "max_completion_tokens"],
    ["gpt-4", "max_tokens"],
    ["llama-3.3-70b", "max_tokens"],
  ])("limits %s by %s", async (model, key) => {
    const { body } = await sent({ default: model }, KEY, { maxOutputTokens: 99 });
    expect(body).toMatchObject({ [key]: 99 });
  });

  test.each(["o3", "gpt-5"])("limits %s where it is spoken to in chat completions", async (model) => {
    const { body } = await sent(
      { provider: "openai", default: model },
      { OPENAI_API_KEY: "k" },
      {
        maxOutputTokens: 99,
      },
    );
    expect(body).toMatchObject({ max_completion_tokens: 99 });
  });
});

describe("rule 3: the api-version of a legacy address", () => {
  test.each([
    ["gpt-4o", "/openai/deployments/gpt-4o/chat/completions"],
    ["gpt-5", "/openai/responses"],
  ])("is sent unchanged with every request of %s, after the path", async (model, path) => {
    const request = await sent({
      default: model,
      base: "/openai/deployments/gpt-4o?api-version=2024-10-21",
    });
    expect([request.path, request.query]).toEqual([path, { "api-version": "2024-10-21" }]);
  });
});

describe("rule 4: messages on the cloud service", () => {
  test.each(["/anthropic", "/anthropic/v1", "/anthropic/v1/", "/anthropic-style/v1/messages"])(
    "%s is reached at its /v1/messages, with the one api-version",
    async (base) => {
      const { path, query } = await sent({ default: "claude-sonnet-4-5", base });
      expect(path).toBe(`/${base.split("/")[1]}/v1/messages`);
      expect(query).toEqual({ "api-version": "2025-04-15" });
    },
  );

  test("a version in the configured address does not take its place", async () => {
    const { query } = await sent({ default: "claude", base: "/anthropic?api-version=2024-10-21" });
    expect(query).toEqual({ "api-version": "2025-04-15" });
  });

  test("the key is a bearer's on hosts of the cloud, and x-api-key elsewhere", async () => {
    const block = { default: "claude", base: "/anthropic" };
    const cloud = await sent({ ...block, ...CLOUD });
    expect(cloud.headers).toMatchObject({ authorization: "Bearer cloud-key" });
    expect(cloud.headers).not.toHaveProperty("x-api-key");
    const other = await sent(block);
    expect(other.headers).toMatchObject({ "x-api-key": "cloud-key" });
    expect(other.headers).not.toHaveProperty("authorization");
  });

  test("the beta header is kept", async () => {
    const { headers } = await sent({ default: "claude", base: "/anthropic", ...CLOUD });
    expect(headers["anthropic-beta"]).toBe("context-1m-2025-08-07");
  });

  test("the vendor's file of OAuth credentials is neither read nor refreshed", async () => {
    const home = mkdtempSync(join(tmpdir(), "agent-oauth-"));
    try {
      const file = join(home, ".claude", ".credentials.json");
      mkdirSync(join(home, ".claude"));
      const text = JSON.stringify({ claudeAiOauth: { accessToken: "T", refreshToken: "R", expiresAt: 1 } });
      writeFileSync(file, text);
      const { headers } = await sent(
        { default: "claude", base: "/anthropic", ...CLOUD },
        { ...KEY, HOME: home },
      );
      expect(headers["authorization"]).toBe("Bearer cloud-key");
      expect(readFileSync(file, "utf8")).toBe(text);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

describe("rule 5: the native messages provider on the cloud service", () => {
  test.each(["key_env", "api_key_env", "keyEnv", "apiKeyEnv"])(
    "reads its key from %s, before the default variable, and sends it as x-api-key",
    async (alias) => {
      const { headers, query } = await sent(
        { provider: "anthropic", default: "claude", base: "/anthropic", [alias]: "MY_KEY", ...CLOUD },
        { MY_KEY: "mine", CLOUD_MESSAGES_KEY: "default" },
      );
      expect(headers).toMatchObject({ "x-api-key": "mine" });
      expect(headers).not.toHaveProperty("authorization");
      expect(query).toEqual({ "api-version": "2025-04-15" });
    },
  );

  test("reads the default variable when none is named", async () => {
    const { headers } = await sent(
      { provider: "messages", default: "claude" },
      { CLOUD_MESSAGES_KEY: "default", ANTHROPIC_API_KEY: "vendor" },
    );
    expect(headers).toMatchObject({ "x-api-key": "default" });
  });
});

test("rule 6: deployments are not enumerated with a key: the configured ones are listed, nothing is asked", async () => {
  await using server = await startModelServer({ models: ["deployable-but-not-deployed"] });
  const config = parseModelsConfig({
    provider: "cloud-foundry",
    base_url: server.baseUrl,
    default: "gpt-4o",
  });
  await using models = configuredModels(config, { env: KEY, clock: systemClock });
  expect(await models.list(new AbortController().signal)).toEqual([
    { provider: "demo", model: "demo", current: false },
    { provider: "cloud-foundry", model: "gpt-4o", current: true },
  ]);
});
