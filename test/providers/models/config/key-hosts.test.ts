import { describe, expect, test } from "vitest";
import { findKey } from "../../../../src/providers/models/config/credentials.ts";
import { usualKeyVariables } from "../../../../src/providers/models/config/key-variables.ts";
import { parseModelsConfig } from "../../../../src/providers/models/config/models-config.ts";
import { providersOf } from "../../../../src/providers/models/config/providers.ts";
import { HostError } from "../../../../src/shared/errors/host-error.ts";

const KEYS = {
  OPENAI_API_KEY: "openai-key",
  ANTHROPIC_API_KEY: "anthropic-key",
  CLOUD_MESSAGES_KEY: "cloud-messages-key",
  CLOUD_FOUNDRY_API_KEY: "cloud-foundry-key",
};
type KeyName = keyof typeof KEYS;
const only = (...names: readonly KeyName[]) => Object.fromEntries(names.map((name) => [name, KEYS[name]]));

/** The key that a `model` block sends with these variables set, or the message that says why there is none. */
function keyOf(block: object, env: Readonly<Record<string, string>>): string | undefined {
  const { main } = providersOf(parseModelsConfig(block), env);
  try {
    return findKey(main.key, env);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(HostError);
    return thrown instanceof HostError ? thrown.message : "";
  }
}

const CLOUD = "https://me.services.ai.azure.com/anthropic";

describe("a key goes to the host that it is for", () => {
  test.each([
    [{ provider: "messages" }, "ANTHROPIC_API_KEY"],
    [{ provider: "messages", base_url: "https://api.anthropic.com/v1" }, "ANTHROPIC_API_KEY"],
    [{ provider: "messages", base_url: CLOUD }, "CLOUD_MESSAGES_KEY"],
    [{ provider: "messages", base_url: "https://models.company.test" }, "CLOUD_MESSAGES_KEY"],
    [{ provider: "openai" }, "OPENAI_API_KEY"],
    [
      { provider: "cloud-foundry", base_url: "https://me.openai.azure.com/openai/v1" },
      "CLOUD_FOUNDRY_API_KEY",
    ],
    [{ provider: "cloud-foundry", base_url: "https://models.company.test/v1" }, "CLOUD_FOUNDRY_API_KEY"],
  ] as const)("of all that are set, %j sends the one in %s", (block, name) => {
    expect(keyOf(block, KEYS)).toBe(KEYS[name]);
  });

  test.each([
    {
      block: { provider: "messages" },
      name: "CLOUD_MESSAGES_KEY",
      host: "api.anthropic.com",
      owner: "the cloud service",
    },
    {
      block: { provider: "messages", base_url: CLOUD },
      name: "ANTHROPIC_API_KEY",
      host: "me.services.ai.azure.com",
      owner: "api.anthropic.com",
    },
    {
      block: { provider: "messages", base_url: "https://x.test" },
      name: "ANTHROPIC_API_KEY",
      host: "x.test",
      owner: "api.anthropic.com",
    },
    {
      block: { provider: "openai", base_url: "https://x.test/v1" },
      name: "OPENAI_API_KEY",
      host: "x.test",
      owner: "api.openai.com",
    },
    {
      block: { provider: "cloud-foundry", base_url: "https://api.openai.com/v1" },
      name: "CLOUD_FOUNDRY_API_KEY",
      host: "api.openai.com",
      owner: "the cloud service",
    },
  ] as const)("$block refuses $name by its name", ({ block, name, host, owner }) => {
    expect(keyOf(block, only(name))).toBe(
      `There is no key for ${host}: the one in ${name} is for ${owner}, and was not sent. Put a key for ${host} into .env and name its variable in model.key_env, or run \`agent setup\`.`,
    );
  });

  test("an owner who names the variable, or the address beside it, has said that it is for that host", () => {
    const named = { provider: "openai", base_url: "https://x.test/v1", key_env: "OPENAI_API_KEY" };
    expect(keyOf(named, KEYS)).toBe("openai-key");
    const env = { ...only("OPENAI_API_KEY"), OPENAI_BASE_URL: "https://x.test/v1" };
    expect(keyOf({ provider: "openai" }, env)).toBe("openai-key");
    expect(keyOf({ provider: "openai", base_url: "https://y.test/v1" }, env)).toContain(
      "is for api.openai.com",
    );
  });

  test("this machine is its owner's, by all its names and no other", () => {
    for (const host of ["localhost:4000", "127.0.0.1:4000", "127.8.9.1", "[::1]:4000", "models.localhost"])
      expect(keyOf({ provider: "openai", base_url: `http://${host}/v1` }, KEYS)).toBe("openai-key");
    for (const host of ["127.0.0.1.x.test", "localhost.test", "127.x.test", "10.0.0.1"])
      expect(keyOf({ provider: "openai", base_url: `http://${host}/v1` }, KEYS)).toContain("was not sent");
  });

  test("a key beside an entry's address does not follow another address", () => {
    const providers = { work: { base_url: "https://work.test/v1", api_key: "work-key" } };
    expect(keyOf({ provider: "work", providers }, {})).toBe("work-key");
    expect(keyOf({ provider: "work", base_url: "https://work.test/v2", providers }, {})).toBe("work-key");
    expect(keyOf({ provider: "work", base_url: "https://other.test/v1", providers }, {})).toBeUndefined();
  });
});

test("a provider is there by its environment only with a key that it may send", () => {
  const names = (env: Readonly<Record<string, string>>) => [...providersOf({}, env).byName.keys()];
  expect(names(only("CLOUD_MESSAGES_KEY"))).toEqual(["demo"]);
  expect(names({ ...only("CLOUD_MESSAGES_KEY"), ANTHROPIC_BASE_URL: CLOUD })).toEqual(["demo", "messages"]);
  expect(names(only("ANTHROPIC_API_KEY"))).toEqual(["demo", "messages"]);
});

test("setup puts a key for another host into a variable of its own", () => {
  expect(usualKeyVariables("openai", undefined)).toEqual(["OPENAI_API_KEY"]);
  expect(usualKeyVariables("openai", "https://x.test/v1")).toEqual([]);
  expect(usualKeyVariables("messages", CLOUD)).toEqual(["CLOUD_MESSAGES_KEY"]);
});
