import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSettings } from "../../../src/app/config/settings.ts";
import { shownStoreUrl } from "../../../src/app/config/store.ts";
import { LiveSettings } from "../../../src/app/config/live-settings.ts";
import { handClock } from "../../kit/clock.ts";

const PASSWORD = "Zx9mQ2vL7tRb4WnK";
const SECRET = "0123456789abcdef0123456789abcdef";

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "agent-store-"))));
afterEach(() => rmSync(home, { recursive: true }));

const read = (config: string, env: Readonly<Record<string, string>> = {}, set: readonly string[] = []) => {
  writeFileSync(join(home, "config.yaml"), config);
  return loadSettings({ AGENT_HOME: home, ...env }, "/", set);
};

describe("store.url", () => {
  test("it is the home's own SQLite without one, and the variable wins over the file", async () => {
    expect((await read("")).store).toEqual({ allowNetworkFileSystem: false });
    const file = "store: { url: 'postgres://a@one/db' }";
    expect((await read(file)).store.url).toBe("postgres://a@one/db");
    const env = { AGENT_STORE_URL: "postgresql://two:6432/db?sslmode=require" };
    expect((await read(file, env)).store.url).toBe(env.AGENT_STORE_URL);
    expect((await read(file, env, ["store.url=postgres://three/db"])).store.url).toBe("postgres://three/db");
    expect((await read("store: { url: '${DB}' }", { DB: "postgres://four/db" })).store.url).toBe(
      "postgres://four/db",
    );
  });

  test.each([
    ["mysql://me:PASSWORD@db/agent", /begins with mysql: where postgres: is expected/],
    ["postgres://me:PASSWORD@db", /\(postgres:\/\/me@db\) names no database/],
    ["postgres://me:PASSWORD@db/", /names no database/],
    ["postgres://me:PASS#WORD@db:5432,other/agent", /no address such as .* as %XX/],
    ["/var/lib/PASSWORD.db", /no address such as/],
    ["postgres://me:${NOWHERE}@db/agent", /names \$\{NOWHERE\}, which is set neither/],
  ])("%s is refused in words that do not hold the password", async (url, words) => {
    const given = url.replace("PASSWORD", PASSWORD).replace("PASS#WORD", `${PASSWORD}#`);
    const refusal = await read(`store: { url: '${given}' }`).catch((thrown: unknown) => String(thrown));
    expect(refusal).toMatch(words);
    expect(refusal).not.toContain(PASSWORD);
    // The variable is taken as it stands: a password may look as if it named one.
    const named = read("", { AGENT_STORE_URL: given });
    if (url.includes("NOWHERE")) expect((await named).store.url).toBe(given);
    else await expect(named).rejects.toThrow(/^AGENT_STORE_URL/);
  });

  test("its password is hidden wherever text is shown, and the name before it is not", async () => {
    const url = `postgres://somebody:${PASSWORD}@db.internal/agent?password=${PASSWORD}2`;
    const settings = await read(`store: { url: '${url}' }\ncluster: { secret: '\${MINE}' }`, {
      MINE: SECRET,
    });
    const start = { environment: {}, cwd: "/", clock: handClock(), platform: "linux" };
    await using live = new LiveSettings(settings, start);
    const hidden = live.redactor().hide(`${url} ${SECRET} of somebody`);
    expect(hidden).toContain("of somebody");
    for (const secret of [PASSWORD, SECRET]) expect(hidden).not.toContain(secret);
    expect(shownStoreUrl(url)).toBe("postgres://somebody@db.internal/agent");
    await expect(read("", {}, [`store.url=${url}`])).rejects.toThrow(/holds a secret/);
  });
});

describe("cluster", () => {
  const store = "store: { url: postgres://db/agent }\n";

  test("it is read with its secret from the file or the environment", async () => {
    expect((await read("")).cluster).toEqual({ adoptWorkspaces: false });
    expect((await read("", { AGENT_CLUSTER_SECRET: SECRET })).cluster.secret).toBe(SECRET);
    const env = { AGENT_CLUSTER_SECRET: SECRET, AGENT_CLUSTER_ADVERTISE: "http://10.0.0.6:8646" };
    const named = await read(`${store}cluster: { advertise: 'http://10.0.0.5:8646' }`, env);
    expect(named.cluster.advertise).toBe("http://10.0.0.6:8646");
    await expect(read(store, { ...env, AGENT_CLUSTER_ADVERTISE: "10.0.0.6" })).rejects.toThrow(
      /^AGENT_CLUSTER_ADV/,
    );
    const block = `${store}cluster: { advertise: 'http://10.0.0.5:8646/', secret: '\${OURS}', adopt_workspaces: true }`;
    expect((await read(block, { OURS: SECRET })).cluster).toEqual({
      advertise: "http://10.0.0.5:8646",
      listen: { port: 8646 },
      secret: SECRET,
      adoptWorkspaces: true,
    });
  });

  test.each([
    ["advertise: 'http://127.0.0.1:8646'", { host: "127.0.0.1", port: 8646 }],
    ["advertise: 'http://[::1]:8646'", { host: "::1", port: 8646 }],
    ["advertise: 'http://a.internal'", { port: 80 }],
    ["advertise: 'http://a.internal:8646', listen: '0.0.0.0:9000'", { host: "0.0.0.0", port: 9000 }],
    ["advertise: 'https://a.example.org', listen: '[::1]:9000'", { host: "::1", port: 9000 }],
  ])("{ %s } is listened for at an address of this machine, or at all", async (block, listen) => {
    const settings = await read(`${store}cluster: { ${block} }`, { AGENT_CLUSTER_SECRET: SECRET });
    expect(settings.cluster.listen).toEqual(listen);
  });

  test.each([
    ["cluster: { adopt_workspaces: true }", /^cluster\.adopt_workspaces .* no effect without store\.url/],
    [`${store}cluster: { advertise: 'http://a' }`, /^cluster\.advertise needs AGENT_CLUSTER_SECRET/],
    [`${store}cluster: { advertise: 'tcp://a' }`, /cluster\.advertise .* no http or https address/],
    [
      `${store}cluster: { advertise: 'https://a', secret: '${SECRET}' }`,
      /^cluster\.advertise .* does the TLS/,
    ],
    [
      `${store}cluster: { advertise: 'http://a', secret: '${SECRET}', listen: '8646' }`,
      /^cluster\.listen .* 0\.0\.0\.0:8646/,
    ],
    [`${store}cluster: { secret: 'too-short' }`, /^cluster\.secret .* has 9 characters; 32 are the fewest/],
    [`${store}cluster: { adopt_workspace: true }`, /Did you mean cluster\.adopt_workspaces\?/],
    [`${store}cluster: { secret: 12345 }`, /cluster\.secret .* is not valid/],
  ])("%s is refused with what to do", async (config, words) => {
    const refusal = await read(config).catch((thrown: unknown) =>
      thrown instanceof Error ? thrown.message : "",
    );
    expect(refusal).toMatch(words);
    expect(refusal).not.toMatch(/too-short|12345/);
  });
});
