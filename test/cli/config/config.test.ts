import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

test("settings are found, read and changed; secrets are not shown and comments stay", async () => {
  await using stage = new CommandStage();
  const file = join(stage.home, "config.yaml");
  expect((await stage.ask(["config"])).stdout).toBe(
    `settings  ${file} (not there yet)\nsecrets   ${join(stage.home, ".env")} (not there yet)\n`,
  );
  stage.configure("# mine\napprovals:\n  mode: smart # for now\nmodel:\n  api_key: sk-1234567890\n");
  const listed = await stage.ask(["config"]);
  expect(listed.stdout).toContain(`settings  ${file}\n`);
  expect(listed.stdout).toContain("mode: smart");
  expect(listed.stdout).not.toContain("sk-1234567890");
  expect((await stage.ask(["config", "get", "model.api_key"])).stdout).toBe("********\n");
  expect((await stage.ask(["config", "get", "approvals.mode"])).stdout).toBe("smart\n");
  expect(await stage.ask(["config", "get", "approvals.timeout"])).toMatchObject({
    code: 1,
    stderr: `agent: approvals.timeout is not set in ${file}.\n`,
  });
  expect(await stage.ask(["config", "set", "approvals.mode", "manual"])).toMatchObject({ code: 0 });
  await stage.ask(["config", "set", "sandbox.hosts", "[example.com]"]);
  expect(JSON.parse((await stage.ask(["config", "get", "sandbox.hosts", "--json"])).stdout)).toEqual([
    "example.com",
  ]);
  expect(readFileSync(file, "utf8")).toContain("# mine\napprovals:\n  mode: manual # for now\n");
  await stage.ask(["config", "set", "approvals.mode", "null"]);
  expect((await stage.ask(["config", "get", "approvals.mode"])).code).toBe(1);
});

test.each([
  ["approvals.mod", "manual", "Did you mean approvals.mode?"],
  ["nothing.here", "1", "agent: nothing in `agent config set` is no setting."],
  ["approvals.mode", "sometimes", 'agent: approvals.mode cannot be "sometimes": '],
  ["limits.iterations", "abc", 'agent: limits.iterations cannot be "abc": it must be a number. '],
  ["limits", "abc", 'agent: limits cannot be "abc": it must be a block of settings. '],
  ["detached.foo", "1", "agent: detached.foo in `agent config set` is no setting."],
  ["limits.iterations", "", "agent: `agent config set` limits.iterations= has no value."],
  ["model.api_key", "sk-1234567890", "holds a secret"],
])("%s is not set to %s", async (key, value, says) => {
  await using stage = new CommandStage();
  stage.configure("limits:\n  iterations: 5\n");
  const { code, stderr } = await stage.ask(["config", "set", key, value]);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
  expect(stderr).not.toContain("--set");
  expect(stderr).not.toContain("sk-1234567890");
  expect(readFileSync(join(stage.home, "config.yaml"), "utf8")).toBe("limits:\n  iterations: 5\n");
});
