import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { homePaths } from "../../../src/app/config/home.ts";
import { checkConfig, loadSettings, unreadKeys } from "../../../src/app/config/settings.ts";

test.each([
  [{ aprovals: { mode: "off" } }, "aprovals", "approvals"],
  [{ approvals: { modes: "off" } }, "approvals.modes", "approvals.mode"],
  [{ web: { search: { provder: "brave" } } }, "web.search.provder", "web.search.provider"],
  [{ platforms: { telegarm: {} } }, "platforms.telegarm", "platforms.telegram"],
])("a mistyped setting in %j is refused with what was probably meant", (values, key, meant) => {
  const problem = `${key} in config.yaml is no setting. Did you mean ${meant}?`;
  expect(() => checkConfig(values, "config.yaml")).toThrow(
    new HostError("config_invalid", problem, { details: { subject: key } }),
  );
});

test("keys of other programs are let be, and named to those who ask", () => {
  const values = { weather: { city: "Rome" }, display: { anything: 1 }, limits: { iterations: 5 } };
  expect(checkConfig(values, "config.yaml").limits).toEqual({ iterations: 5 });
  expect(unreadKeys(values)).toEqual([{ path: "weather" }, { path: "display.anything" }]);
});

test.each([
  [{ approvals: "off" }, "a block of settings"],
  [{ toolsets: { cli: "files" } }, "a list"],
  [{ limits: { iterations: 1.5 } }, "a whole number"],
  [{ sessions: { auto_title: "yes" } }, "true or false"],
  [{ profile: 3 }, "text"],
])("a setting of the wrong kind in %j is told in the words of a file", (values, kind) => {
  expect(() => checkConfig(values, "config.yaml")).toThrow(`: it must be ${kind}. Correct it`);
});

test.each([
  [{ HOME: "/home/ann" }, "/home/ann/.agent"],
  [{ HOME: "" }, join(userInfo().homedir, ".agent")],
  [{}, join(userInfo().homedir, ".agent")],
  [{ HOME: "/home/ann", AGENT_HOME: " " }, "/home/ann/.agent"],
  [{ HOME: "/home/ann", AGENT_HOME: "~/work" }, "/home/ann/work"],
  [{ HOME: "/home/ann", AGENT_HOME: "~" }, "/home/ann"],
  [{ HOME: "/home/ann", AGENT_HOME: "here/below" }, "/place/here/below"],
])("with %j the home is %s", (environment, home) => {
  expect(homePaths(environment, "/place").home).toBe(home);
});

test.each([
  ["model: 5\n", [], (file: string) => `model in ${file} is missing or of the wrong kind.`],
  [
    "model: { nokey: 1 }\n",
    ["limits.iterations=5"],
    (file: string) => `model.nokey in ${file} is no setting.`,
  ],
  ["model: { default: a }\n", ["model.nokey=1"], () => "model.nokey in --set is no setting."],
] as const)(
  "a mistake in the block of models is told with its place: %j with %j",
  async (text, set, message) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
    const file = join(folder.path, "config.yaml");
    writeFileSync(file, text);
    await expect(loadSettings({ AGENT_HOME: folder.path }, folder.path, set)).rejects.toThrow(message(file));
  },
);
