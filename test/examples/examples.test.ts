import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const run = promisify(execFile);
const home = mkdtempSync(join(tmpdir(), "agent-examples-"));
afterAll(() => rmSync(home, { recursive: true }));

async function example(name: string): Promise<string> {
  const file = fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url));
  const { PATH = "" } = process.env;
  const { stdout } = await run(process.execPath, [file], {
    cwd: home,
    env: { PATH, AGENT_HOME: join(home, name) },
  });
  return stdout;
}

test("embed: a host in one's own program answers", async () => {
  expect(await example("embed")).toMatch(/3[\s\S]*completed, \d+ tokens, session \d{8}_\d{6}_[0-9a-f]{6}\n$/);
});

test("custom-tool: the tool runs once it is allowed", async () => {
  expect(await example("custom-tool")).toBe(
    "Allowing: Light in the kitchen: on\nThe light is on. Map(1) { 'kitchen' => true }\n",
  );
});

test("two-readers: the one that comes later gets exactly the rest", async () => {
  const lines = (await example("two-readers")).trim().split("\n").toSorted();
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("Any number of readers follow a session from any position.");
});

test("acp-client: the agent asks before it removes what it wrote", async () => {
  const said = await example("acp-client");
  expect(said).toContain("Created hello.txt");
  expect(said).toContain("Allowing: rm hello.txt");
});
