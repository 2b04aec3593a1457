import { chmodSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { codeHostTool } from "../../../src/app/background/code-host-tool.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { Spawner } from "../../../src/providers/tools/index.ts";
import { type Scratch, scratch } from "../../providers/tools/scratch.ts";

const { signal } = new AbortController();

/** Runs `gh`, which is the script, or not there, with some keys in the environment. */
async function comment(dir: Scratch, script?: string): Promise<void> {
  if (script !== undefined) {
    writeFileSync(dir.at("gh"), `#!/bin/sh\n${script}\n`);
    chmodSync(dir.at("gh"), 0o755);
  }
  const env = { PATH: `${dir.path}:/nowhere`, HOME: dir.path };
  const machine = {
    platform: process.platform,
    pid: process.pid,
    execPath: process.execPath,
    argv: [],
    env,
    kill: process.kill.bind(process),
  };
  await using spawner = new Spawner({ machine, clock: systemClock, hostId: "gh", tempDir: dir.path });
  const tool = codeHostTool(
    { spawner, clock: systemClock },
    { ...env, GH_TOKEN: "own", OPENAI_API_KEY: "other" },
  );
  await tool(["pr", "comment", "7", "--body", "two words"], signal);
}

test("the code host's tool gets its arguments and its own keys, and no others", async () => {
  await using dir = await scratch();
  await comment(dir, `echo "$# $5" > ${dir.at("said")}; /usr/bin/env >> ${dir.at("said")}`);
  const said = await readFile(dir.at("said"), "utf8");
  expect(said).toContain("5 two words\n");
  expect(said).toContain("GH_TOKEN=own\n");
  expect(said).toContain("GH_PROMPT_DISABLED=1\n");
  expect(said).not.toContain("OPENAI_API_KEY");
});

test("why the code host's tool failed is told in its first line", async () => {
  await using dir = await scratch();
  await expect(comment(dir, "echo 'no such repo' >&2; echo more >&2; exit 4")).rejects.toMatchObject({
    code: "delivery_failed",
    message: "code_host_comment: no such repo",
  });
});

test("a code host's tool that is not installed is a matter of the configuration", async () => {
  await using dir = await scratch();
  await expect(comment(dir)).rejects.toMatchObject({ code: "config_invalid" });
});
