import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import {
  checkIdentity,
  configuredModels,
  parseModelsConfig,
} from "../../../../src/providers/models/index.ts";
import { handClock } from "../../../kit/clock.ts";
import { type IdentityServer, startIdentityServer } from "../../../kit/identity-server.ts";
import { ask, joined } from "../../../kit/model-parts.ts";
import { reply, startModelServer } from "../../../kit/model-server/index.ts";

// The package finds out once per process where its identity comes from, and keeps tokens as long: one service serves all.
let identity: IdentityServer;
beforeAll(async () => {
  identity = await startIdentityServer();
});
afterAll(() => identity[Symbol.asyncDispose]());

beforeEach(() => {
  vi.stubEnv("IDENTITY_ENDPOINT", `${identity.url}/msi/token`);
  vi.stubEnv("IDENTITY_HEADER", "header-secret");
  return () => vi.unstubAllEnvs();
});

/** The resources that tokens were asked for so far. */
const resources = (): readonly unknown[] => identity.requests.map(({ query }) => query["resource"]);

const KEYLESS = { provider: "cloud-foundry", default: "gpt-4o", auth_mode: "identity_service" };
const KEYS = { CLOUD_FOUNDRY_API_KEY: "never-sent", CLOUD_MESSAGES_KEY: "never-sent" };

const open = async (block: object, env: Readonly<Record<string, string>> = KEYS) => {
  const server = await startModelServer({ answer: () => reply("ok") });
  const { base = "", ...rest } = block as { base?: string };
  const config = parseModelsConfig({ ...KEYLESS, base_url: `${server.url}${base}`, ...rest });
  const models = configuredModels(config, { env, clock: systemClock });
  return {
    server,
    model: models.resolve({}),
    async [Symbol.asyncDispose]() {
      await models[Symbol.asyncDispose]();
      await server.close();
    },
  };
};

describe("a keyless request", () => {
  test.each([
    ["chat completions", "/v1/chat/completions", {}],
    ["responses", "/v1/responses", { default: "gpt-5" }],
    ["messages", "/anthropic/v1/messages", { default: "claude", base: "/anthropic" }],
    [
      "messages on a host of the cloud",
      "/anthropic/v1/messages",
      { default: "claude", base: "/anthropic", cloud_domains: ["127.0.0.1"] },
    ],
    ["chat on a host of the cloud", "/v1/chat/completions", { cloud_domains: ["127.0.0.1"] }],
  ])("in %s carries the token and no key, whatever keys there are", async (_title, path, block) => {
    await using kit = await open(block);
    expect(joined((await ask(kit.model)).parts)).toBe("ok");
    const { headers, path: asked, text } = await kit.server.request(1);
    expect(asked).toBe(path);
    expect(headers.authorization).toMatch(/^Bearer token/);
    expect(headers).not.toHaveProperty("api-key");
    expect(headers).not.toHaveProperty("x-api-key");
    expect(JSON.stringify(headers) + text).not.toContain("never-sent");
  });

  test("asks for a token of the default scope, or of the one that is configured", async () => {
    for (const scope of [undefined, "", "https://own.example.net/.default"]) {
      await using kit = await open({ identity: { scope } });
      await ask(kit.model);
    }
    // One token serves as long as it is fresh.
    expect(resources()).toEqual(["https://ai.azure.com", "https://own.example.net"]);
    expect(identity.requests[0]?.header("x-identity-header")).toBe("header-secret");
  });

  test("is not made when no identity gives a token, and says what each source said", async () => {
    vi.stubEnv("PATH", "/nonexistent");
    identity.refuse("https://nowhere.example.net");
    await using kit = await open({ identity: { scope: "https://nowhere.example.net/.default" } });
    const { error } = await ask(kit.model);
    expect(error?.code).toBe("provider_auth");
    expect(error?.message).toContain("No identity gave a token for https://nowhere.example.net/.default.");
    for (const source of ["managed identity", "command-line login", "shell-module login"])
      expect(error?.message).toContain(`${source}: `);
    expect(error?.message).toContain("editor extension: the package @azure/identity-vscode is not installed");
    expect(kit.server.requests).toEqual([]);
  });

  test("that is refused says what a role and a scope have to do with it", async () => {
    await using kit = await open({});
    kit.server.script({ status: 401, body: '{"error":{"message":"token-1 lacks the permission"}}' });
    const { error } = await ask(kit.model);
    expect(error?.code).toBe("provider_auth");
    expect(error?.message).toMatch(/role on the resource.*5 minutes.*model\.identity\.scope/);
  });

  test("that is given up while it waits for its token ends without a word", async () => {
    await using kit = await open({ identity: { scope: "https://slow.example.net/.default" } });
    const life = new AbortController();
    const outcome = ask(kit.model, { signal: life.signal });
    life.abort();
    expect(await outcome).toEqual({ parts: [] });
    expect(kit.server.requests).toEqual([]);
  });
});

describe("a look at the chain", () => {
  const look = (clock = handClock()) =>
    checkIdentity({
      env: { AZURE_CLIENT_ID: "c" },
      platform: "linux",
      clock,
      signal: new AbortController().signal,
    });

  test("says who gave the token, and which variables have a say", async () => {
    expect(await look()).toMatchObject({
      ok: true,
      scope: "https://ai.azure.com/.default",
      source: "managed identity",
      variables: ["AZURE_CLIENT_ID"],
    });
    // A user-assigned identity is named by the client id.
    expect(identity.requests.at(-1)?.query).toMatchObject({ client_id: "c" });
  });

  test("is over after 10 s, whatever hangs", async () => {
    const clock = handClock();
    const arrived = identity.hold("https://hanging.example.net");
    const looking = checkIdentity({
      env: {},
      platform: "linux",
      scope: "https://hanging.example.net/.default",
      clock,
      signal: new AbortController().signal,
    });
    await arrived;
    clock.advance(10_000);
    expect(await looking).toMatchObject({
      ok: false,
      error: expect.stringContaining("within 10 s") as string,
    });
  });
});
