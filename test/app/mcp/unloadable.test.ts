import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { LiveSettings } from "../../../src/app/config/live-settings.ts";
import { loadSettings } from "../../../src/app/config/settings.ts";
import { McpManager } from "../../../src/app/mcp/mcp-manager.ts";
import { SessionSandboxes } from "../../../src/app/sandbox/session-sandboxes.ts";
import type { McpServer } from "../../../src/providers/mcp/index.ts";
import { Spawner } from "../../../src/providers/tools/index.ts";
import { handClock } from "../../kit/clock.ts";
import { scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith } from "../../kit/test-host.ts";

/** Whether the library is there, as it is not while the files of an update are put in their places. */
const library = vi.hoisted(() => ({ isThere: false }));
vi.mock("../../../src/providers/mcp/index.ts", async (original) => {
  const all: object = await original();
  return {
    ...all,
    get McpClients() {
      if (library.isThere) return (all as { readonly McpClients: unknown }).McpClients;
      throw new Error("the file is gone");
    },
  };
});

beforeEach(() => {
  library.isThere = false;
});

const OFF: McpServer = { name: "calc", type: "stdio", command: "calc", args: [], env: {}, disabled: true };

/** The MCP servers of a process, of which one is configured. */
async function managerStage() {
  const stack = new AsyncDisposableStack();
  const home = mkdtempSync(join(tmpdir(), "agent-mcp-"));
  stack.defer(() => rmSync(home, { recursive: true }));
  const clock = handClock();
  const environment = { AGENT_HOME: home };
  const settings = await loadSettings(environment, home, [
    "mcp_servers.calc.command=calc",
    "mcp_servers.calc.enabled=false",
  ]);
  const start = { environment, cwd: home, clock, platform: "linux" };
  const live = stack.use(new LiveSettings(settings, start));
  const machine = { ...process, env: {} };
  const spawner = stack.use(new Spawner({ machine, clock, hostId: "host-mcp", tempDir: home }));
  const parts = { live, machine, spawner, clock, isBusy: () => false, cache: home };
  const sandboxes = stack.use(new SessionSandboxes(parts));
  const host = stack.use(await hostWith(scriptedModel()));
  const manager = stack.use(
    new McpManager({ live, clock, spawner, sandboxes, cwd: home, host: () => host, env: {} }),
  );
  return { home, clock, manager, host, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("configured servers whose library could not be loaded are begun with again by the next turn", async () => {
  await using stage = await managerStage();
  const { signal } = new AbortController();
  await stage.manager.readyForTurn(signal);
  await stage.manager.readyForTurn(signal);
  expect(stage.host.reported.map(({ message }) => message)).toEqual(["the file is gone", "the file is gone"]);
  library.isThere = true;
  await stage.manager.reload(signal);
  expect(stage.manager.servers().map(({ status }) => status)).toEqual(["disabled"]);
  expect(stage.host.reported).toHaveLength(2);
});

test("servers that a client names again are connected, though the library could not be loaded for the first ones", async () => {
  await using stage = await managerStage();
  let failed = Promise.withResolvers<string>();
  await using servers = stage.manager.connectFor([OFF], {
    sessionId: "s",
    cwd: stage.home,
    failed: (name, reason) => failed.resolve(`${name}: ${reason}`),
  });
  stage.clock.advance(100);
  expect(await failed.promise).toBe("calc: the file is gone");
  failed = Promise.withResolvers();
  servers.reload([OFF]);
  expect(await failed.promise).toBe("calc: the file is gone");
  library.isThere = true;
  servers.reload([OFF]);
  await expect.poll(() => stage.manager.servers("s").map(({ name }) => name)).toEqual(["calc", "calc"]);
});
