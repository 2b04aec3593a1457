import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { loadSettings } from "../../src/app/config/settings.ts";

const TEXT = readFileSync(join(import.meta.dirname, "../../docs/cluster.md"), "utf8");

/** The blocks of a language, each without its fences. */
const blocks = (language: string): readonly string[] =>
  [...TEXT.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, text = ""]) => text,
  );

interface Service {
  readonly build?: { readonly dockerfile_inline: string };
  readonly environment: Readonly<Record<string, string>>;
  readonly depends_on?: object;
}

const filled = (environment: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{\w+[^}]*\}/g, "0123456789abcdef0123456789abcdef"),
    ]),
  );

test("the compose file of docs/cluster.md is one, and the settings of its hosts are taken", async () => {
  const [file = ""] = blocks("yaml");
  const { services } = parse(file, { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
  };
  expect(Object.keys(services)).toEqual(["db", "host-1", "host-2", "balancer"]);
  for (const name of ["host-1", "host-2"]) {
    const { build, environment, depends_on: needs } = services[name] ?? { environment: {} };
    expect(build?.dockerfile_inline).toContain('CMD ["agent", "gateway"]');
    expect(needs).toEqual({ db: { condition: "service_healthy" } });
    const { store, cluster } = await loadSettings({ HOME: "/nowhere", ...filled(environment) }, "/");
    expect(store.url).toMatch(/^postgres:\/\/agent:\w+@db\/agent$/);
    expect(cluster.advertise).toBe(`http://${name}:8646`);
    expect(services["balancer"]?.environment["HAPROXY"]).toContain(`server ${name} ${name}:8642 check`);
  }
});

test("the unit and the environment file of docs/cluster.md are such, and the settings are taken", async () => {
  const [unit = "", environment = ""] = blocks("ini");
  const sections = [...unit.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name);
  expect(sections).toEqual(["Unit", "Service", "Install"]);
  for (const line of [...unit.split("\n"), ...environment.split("\n")])
    expect(line).toMatch(/^$|^#|^\[\w+\]$|^[A-Z]\w*=\S/);
  expect(unit).toContain("EnvironmentFile=/etc/agent.env");
  const variables = Object.fromEntries(
    [...environment.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  const { store, cluster } = await loadSettings({ HOME: "/nowhere", ...variables }, "/");
  expect(store.url).toContain("@db.internal/agent");
  expect(cluster).toMatchObject({ advertise: "http://10.0.0.5:8646", adoptWorkspaces: false });
});
