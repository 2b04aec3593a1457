import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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
