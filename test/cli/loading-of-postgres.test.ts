import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Runs a command from its sources, and tells on stdout's last line what of PostgreSQL was loaded. */
const PROGRAM = `
import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ resolve(name, context, next) { const found = next(name, context); if (/node_modules\\/pg(-[a-z]+)?\\/|store\\/postgres\\//.test(found.url)) loaded.push(found.url); return found; } });
process.on("exit", () => console.log(JSON.stringify(loaded)));
const { main } = await import(${JSON.stringify(new URL("../../src/cli/main.ts", import.meta.url).href)});
await main(process.argv.slice(1));
`;

let home: string;
beforeAll(() => (home = mkdtempSync(join(tmpdir(), "agent-loading-"))));
afterAll(() => rmSync(home, { recursive: true }));

async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM, "--", ...args], {
    env: { PATH: process.env["PATH"], HOME: home, AGENT_HOME: home, AGENT_TERMINAL_BACKEND: "local", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const loaded = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as readonly string[];
  return {
    stderr,
    found: loaded.filter((url) => /node_modules\/pg(-[a-z]+)?\/|store\/postgres\//.test(url)),
  };
}

test("nothing of PostgreSQL is loaded before store.url names a database, and then its client is", async () => {
  const settings = join(home, "config.yaml");
  writeFileSync(settings, "cluster: {}\n");
  expect((await loadedBy(["run", "Hello"])).found).toEqual([]);
  expect((await loadedBy(["memory", "list"])).found).toEqual([]);
  writeFileSync(settings, "store: { url: 'postgres://nobody:quite-a-secret@127.0.0.1:1/none' }\n");
  const { found, stderr } = await loadedBy(["memory", "list"]);
  expect(found.some((url) => url.includes("node_modules/pg/"))).toBe(true);
  expect(stderr).toMatch(/^agent: The database 127\.0\.0\.1:1\/none does not answer: /m);
  expect(stderr).not.toContain("quite-a-secret");
});
