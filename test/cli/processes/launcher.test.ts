import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { packageVersion } from "../../../src/app/process/version.ts";
import { CommandStage } from "../../kit/command.ts";

/** Says at the end what glibc was told at the start, and what a program would be told that the agent starts. */
const AT_THE_END = `const { readFileSync } = require("node:fs");
process.on("exit", () => {
  const given = readFileSync("/proc/self/environ", "latin1").split("\\0").find((each) => each.startsWith("GLIBC_TUNABLES="));
  const { GLIBC_TUNABLES, AGENT_LAUNCHER_TUNABLES } = process.env;
  console.error(JSON.stringify({ given, GLIBC_TUNABLES, AGENT_LAUNCHER_TUNABLES }));
});`;

async function tunables(own: Readonly<Record<string, string>>): Promise<unknown> {
  await using stage = new CommandStage();
  const file = join(stage.folder, "at-the-end.cjs");
  writeFileSync(file, AT_THE_END);
  Object.assign(stage.env, own, { NODE_OPTIONS: `--require=${file}` });
  const { stderr } = await stage.run(["--version"], { node: "sh" });
  return JSON.parse(stderr);
}

test("the launcher keeps glibc to one pool, and no program that the agent starts inherits that", async () => {
  expect(await tunables({})).toEqual({ given: "GLIBC_TUNABLES=glibc.malloc.arena_max=1" });
});

test("who has settings for glibc keeps them, for the agent and for what it starts", async () => {
  const own = { GLIBC_TUNABLES: "glibc.malloc.arena_max=3" };
  expect(await tunables(own)).toEqual({ given: "GLIBC_TUNABLES=glibc.malloc.arena_max=3", ...own });
});

/** Says whether Node's own modules were made from the code that it brings, and which were compiled. */
const OWN_MODULES = `const { internalBinding } = require("internal/test/binding");
require("node:http");
const { compiledWithCache, compiledWithoutCache } = internalBinding("builtins").getCacheUsage();
console.log(JSON.stringify([compiledWithCache.size > 0, [...compiledWithoutCache]]));`;

test("with the launcher's flags Node takes the code that it brings of its own modules", async () => {
  await using stage = new CommandStage();
  const file = join(stage.folder, "at-the-end.cjs");
  writeFileSync(file, `process.on("exit", () => console.error(JSON.stringify(process.execArgv)));`);
  Object.assign(stage.env, { NODE_OPTIONS: `--require=${file}` });
  const { stderr } = await stage.run(["--version"], { node: "sh" });
  const flags = JSON.parse(stderr) as readonly string[];
  expect(flags).not.toEqual([]);
  const takenWith = (...more: readonly string[]): unknown => {
    const args = [...flags, ...more, "--expose-internals", "--no-warnings", "-e", OWN_MODULES];
    return JSON.parse(execFileSync(process.execPath, args, { env: {} }).toString());
  };
  expect(takenWith()).toEqual([true, []]);
  expect(takenWith("--initial-old-space-size=24")).toEqual([false, expect.arrayContaining(["_http_client"])]);
});

const LAUNCHER = fileURLToPath(new URL("../../../bin/agent.js", import.meta.url));

test("the launcher finds the project's own Node by whatever name it is called", async () => {
  await using stage = new CommandStage();
  const { folder } = stage;
  const root = dirname(dirname(LAUNCHER));
  const tools = join(folder, "tools");
  mkdirSync(tools);
  // No other Node can be found, and nothing else that the launcher does not need.
  symlinkSync(execFileSync("sh", ["-c", "command -v readlink"]).toString().trim(), join(tools, "readlink"));
  symlinkSync(LAUNCHER, join(folder, "agent"));
  symlinkSync("agent", join(folder, "again"));
  symlinkSync(root, join(folder, "project"));
  const said = (cwd: string, program: string, ...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(program, [...args, "--version"], { cwd, env: { PATH: tools } });
    return `${stdout.toString()}${stderr.toString()}`.trim();
  };
  const names = [LAUNCHER, "./agent", "./again", "project/bin/agent.js", join(folder, "again")];
  const answers = [
    ...names.map((name) => said(folder, name)),
    said(join(root, "bin"), "/bin/sh", "agent.js"),
    said(root, "/bin/sh", "bin/agent.js"),
  ];
  expect(new Set(answers)).toEqual(new Set([packageVersion()]));
});
