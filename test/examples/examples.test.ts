import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { gatewayOn, KEY } from "./api-gateway.ts";

const run = promisify(execFile);
const home = mkdtempSync(join(tmpdir(), "agent-examples-"));
afterAll(() => rmSync(home, { recursive: true }));

const pathOf = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

async function example(name: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { PATH = "" } = process.env;
  const { stdout } = await run(process.execPath, [pathOf(`${name}.ts`)], {
    cwd: home,
    env: { PATH, AGENT_HOME: join(home, name), ...env },
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

const ORIGIN = "http://page.test";

test("openai-client: the stock client chats, streams and chains responses", async () => {
  await using stage = new CommandStage();
  const env = { AGENT_URL: await gatewayOn(stage, ORIGIN), API_SERVER_KEY: KEY };
  expect(await example("openai-client", env)).toBe(
    "whole: 1 2 3\nstreamed: On it. (in pieces)\nchained: 1 2 3 4\nkept: completed\n",
  );
});

test("run-with-approval: curl begins a run, answers what it asks, and reads how it ended", async () => {
  await using stage = new CommandStage();
  const AGENT_URL = await gatewayOn(stage, ORIGIN);
  const { PATH = "" } = process.env;
  const env = { PATH, AGENT_URL, API_SERVER_KEY: KEY };
  const { stdout } = await run("bash", [pathOf("run-with-approval.sh")], { env });
  expect(stdout).toMatch(
    /^began run_[0-9a-f]{32}\nit asks to run: rm -f old\.txt\nanswered: once\n\d+ events in all\nit is completed\n$/,
  );
});

test("browser: a page on another origin follows a run", async () => {
  await using stage = new CommandStage();
  const url = await gatewayOn(stage, ORIGIN);
  // What the page's own script is; a browser adds the origin by itself.
  const { followRun } = (await import(pathOf("browser.js"))) as {
    readonly followRun: (options: object) => Promise<{ event: string }>;
  };
  const allowed: (string | null)[] = [];
  const asPage = async (address: string, init: RequestInit): Promise<Response> => {
    const answer = await fetch(address, {
      ...init,
      headers: { ...(init.headers as object), origin: ORIGIN },
    });
    allowed.push(answer.headers.get("access-control-allow-origin"));
    return answer;
  };
  let text = "";
  const end = await followRun({
    url,
    key: KEY,
    input: "count to 5",
    onText: (piece: string) => (text += piece),
    fetch: asPage,
  });
  expect([end.event, text]).toEqual(["run.completed", "1 2 3 4 5"]);
  expect(new Set(allowed)).toEqual(new Set([ORIGIN]));
});

test("webhook: the answer comes by a signed callback", async () => {
  const said = await example("webhook");
  expect(said).toMatch(/^202 \{[\s\S]*reply: 'callback'/);
  expect(said).toMatch(/status: 'completed',\n +response: '1 2 3',/);
});
