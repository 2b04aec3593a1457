import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CodePack } from "../../../src/cli/loading/code-pack.ts";

const run = promisify(execFile);
const AGENT = fileURLToPath(new URL("../../../bin/agent.js", import.meta.url));

let caches: string;
beforeAll(() => (caches = mkdtempSync(join(tmpdir(), "agent-caches-"))));
afterAll(() => rmSync(caches, { recursive: true }));

const version = (env: Readonly<Record<string, string>> = {}) =>
  run(AGENT, ["--version"], { env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: caches, ...env } });

const packs = (): readonly string[] =>
  readdirSync(caches, { recursive: true, encoding: "utf8" })
    .filter((path) => basename(path) === "help")
    .map((path) => join(caches, path));

test("the command keeps what was compiled, starts with it, and without it when it is damaged or not wanted", async () => {
  const said = await version({ NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(packs()).toEqual([]);
  expect(await version()).toEqual(said);
  const [pack = "", ...others] = packs();
  expect(others).toEqual([]);
  const kept = readFileSync(pack);
  for (let start = 2; start <= 5; start += 1) {
    expect(await version()).toEqual(said);
    expect(new CodePack(pack).saves).toBe(Math.min(start, 3));
  }
  truncateSync(pack, Math.trunc(kept.length / 2));
  expect(await version()).toEqual(said);
  expect(new CodePack(pack).saves).toBe(1);
});
