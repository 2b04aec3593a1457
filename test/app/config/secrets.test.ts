import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { homeSecrets } from "../../../src/app/config/home-secrets.ts";
import { isSecretName, secretValues } from "../../../src/app/config/secrets.ts";
import { createRedactor } from "../../../src/shared/text/redact.ts";
import { handClock } from "../../kit/clock.ts";

const SECRET_NAMES =
  "OPENAI_API_KEY MYAPIKEY GITHUB_TOKEN GH_PAT DB_PWD PGPASSWORD AWS_SECRET_ACCESS_KEY api_key apiKey accessToken client_secret Authorization X-Api-Key Set-Cookie sig";
const OTHER_NAMES =
  "PATH PWD OLDPWD SSH_AUTH_SOCK author monkey HOTKEY max_tokens keyboard record_key key_env auth_mode home_channel";

test.each(SECRET_NAMES.split(" "))("%s is the name of a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each(OTHER_NAMES.split(" "))("%s is the name of no secret", (name) => {
  expect(isSecretName(name)).toBe(false);
});

/** Where a secret may stand; `SECRET` stands for it. */
const PLACES: readonly (readonly [string, Readonly<Record<string, string>>, unknown])[] = [
  ["a variable", { WEBHOOK_SECRET: "SECRET" }, {}],
  [
    "a variable that the configuration names",
    { MINE: "SECRET" },
    { model: { providers: { a: { key_env: "MINE" } } } },
  ],
  ["one that it names for the search", { MINE: "SECRET" }, { web: { search: { key_env: "MINE" } } }],
  ["a key of the configuration", {}, { model: { api_key: "SECRET" } }],
  [
    "the secret of a route",
    {},
    { platforms: { webhook: { extra: { routes: { a: { secret: "SECRET" } } } } } },
  ],
  ["the secret of all routes", {}, { platforms: { webhook: { extra: { secret: "SECRET" } } } }],
  ["the token of a platform", {}, { platforms: { messenger_1: { token: "SECRET" } } }],
  ["the password of a proxy", { HTTPS_PROXY: "http://me:SECRET@proxy.test:3128" }, {}],
  ["that of a proxy without a protocol", { all_proxy: "me:SECRET@proxy.test:3128" }, {}],
  ["that of a database", { DATABASE_URL: "postgres://me:SECRET@db.test/a" }, {}],
  ["the name in an address", { REPOSITORY: "https://SECRET@git.test/a" }, {}],
  ["a parameter of an address", {}, { fleet: { url: "https://a.test/?api_key=SECRET&page=1" } }],
  [
    "the path of a platform's webhook",
    {},
    { platforms: { messenger_3: { base_url: "https://a.test/services/T0/SECRET" } } },
  ],
  ["the path of a bot", { HOOK: "https://api.test/bot12345:SECRET/send" }, {}],
  ["a header", {}, { mcp_servers: { a: { headers: { Authorization: "Bearer SECRET" } } } }],
];

test.each(PLACES)("%s is known to be secret", (_name, env, config) => {
  const secret = "Zx9mQ2vL7tRb4WnK8sYp";
  const filled = Object.entries(env).map(([name, value]) => [name, value.replace("SECRET", secret)] as const);
  const known = secretValues(Object.fromEntries(filled), fillValues(config, secret));
  expect(known).toContain(secret);
  expect(
    createRedactor(known).hide(`it is ${secret}, or ${Buffer.from(`u:${secret}`).toString("hex")}`),
  ).not.toMatch(new RegExp(`${secret}|${Buffer.from(secret).toString("hex")}`));
});

function fillValues(value: unknown, secret: string): unknown {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === "string" ? part.replace("SECRET", secret) : part,
  ) as unknown;
}

test("a short password is hidden together with its user, and nothing that is public is", () => {
  const known = secretValues(
    { HTTP_PROXY: "http://hanna:pw@proxy.test:3128", HOME: "/home/anna", MODEL: "gpt-4o-mini-2024-07-18" },
    {
      platforms: {
        webhook: { extra: { routes: { a: { secret: "INSECURE_NO_AUTH" }, b: { secret: "${MINE}" } } } },
      },
      model: {
        base_url: "https://a.test/openai/deployments/gpt-4o-mini-2024-07-18",
        api_mode: "chat_completions",
      },
    },
  );
  const hide = (text: string): string => createRedactor(known).hide(text);
  expect(hide("Basic aGFubmE6cHc=, hanna:pw@proxy.test")).toBe("Basic [redacted]=, [redacted]@proxy.test");
  const open =
    "gpt-4o-mini-2024-07-18 of anna at /home/anna: INSECURE_NO_AUTH, ${MINE}, chat_completions, proxy.test";
  expect(hide(open)).toBe(open);
});

describe("the home's own files", () => {
  test("hold secrets that are known a second after a command wrote them, and stay hidden when they are gone", () => {
    const home = mkdtempSync(join(tmpdir(), "agent-secrets-"));
    try {
      const clock = handClock();
      const secrets = homeSecrets(home, { clock });
      expect(secrets()).toEqual([]);
      writeFileSync(join(home, "gateway.token"), "the-token-of-the-gateway\n");
      const file = join(home, "webhook_subscriptions.json");
      writeFileSync(file, JSON.stringify({ builds: { secret: "secret-of-builds", deliver: "log" } }));
      expect(secrets()).toEqual([]);
      clock.advance(1000);
      expect(secrets()).toEqual(["the-token-of-the-gateway", "secret-of-builds"]);
      writeFileSync(file, "{ half");
      utimesSync(file, 1, 1);
      clock.advance(1000);
      expect(secrets()).toEqual(["the-token-of-the-gateway", "secret-of-builds"]);
      writeFileSync(file, JSON.stringify({ other: { secret: "another-secret" } }));
      utimesSync(file, 2, 2);
      clock.advance(1000);
      expect(secrets()).toEqual(["the-token-of-the-gateway", "secret-of-builds", "another-secret"]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
