import { fileURLToPath } from "node:url";
import { serverStarter } from "../../../src/app/mcp/server-processes.ts";
import type { AnyTool } from "../../../src/core/index.ts";
import { type Clock, systemClock } from "../../../src/shared/async/clock.ts";
import { guardedWeb } from "../../../src/providers/fetch/index.ts";
import {
  McpClients,
  type McpServer,
  type McpHost,
  type ServerProcess,
  type StartRequest,
} from "../../../src/providers/mcp/index.ts";
import { toolStage, type StageOptions, type ToolStage } from "../../kit/tool-context.ts";
import { bench } from "../tools/spawn/spawning.ts";
import { type ServerOptions, TestServer } from "./test-server.ts";

const PROGRAM = fileURLToPath(new URL("./programs/server.ts", import.meta.url));
const INSIDE = "inside";

type More = Partial<
  Pick<McpServer, "callMs" | "connectMs" | "include" | "exclude" | "resources" | "prompts" | "sampling">
>;

/** The test's server, as a program. */
export function program(name: string, options: ServerOptions = {}, more: More = {}): McpServer {
  const args = [PROGRAM, JSON.stringify(options)];
  return { type: "stdio", name, command: process.execPath, args, env: { WHO: "the test" }, ...more };
}

/** The same inside the test's own process, for what needs no other. */
export function inside(name: string, options: ServerOptions = {}, more: More = {}): McpServer {
  return { type: "stdio", name, command: INSIDE, args: [JSON.stringify(options)], env: {}, ...more };
}

export interface McpStage extends AsyncDisposable {
  readonly clients: McpClients;
  readonly folder: string;
  /** What was told of servers that failed. */
  readonly failures: readonly string[];
  /** What servers inside the test noted. */
  readonly notes: readonly string[];
  /** Resolves when something holds; looked at after each change. */
  until(holds: () => boolean): Promise<void>;
  /** Resolves when all servers are connected or known not to be. */
  settled(): Promise<void>;
  tool(name: string): AnyTool;
  session(options?: Partial<StageOptions>): ToolStage;
  alive(): Promise<readonly number[]>;
}

/** Links to servers with a real spawner beneath them. */
export async function mcpStage(
  servers: readonly McpServer[],
  options: { readonly clock?: Clock; readonly host?: Partial<McpHost> } = {},
): Promise<McpStage> {
  const at = await bench();
  const failures: string[] = [];
  const notes: string[] = [];
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const each of waiting) each();
  };
  const clock = options.clock ?? systemClock;
  const start = serverStarter(at.spawner, () => Promise.resolve(undefined));
  const clients = new McpClients(servers, {
    host: {
      version: "1",
      clock,
      cwd: at.dir.path,
      session: "s1",
      start: (request) => (request.server.command === INSIDE ? startInside(request, notes) : start(request)),
      web: () => guardedWeb({ allow: ["127.0.0.1"] }),
      ...options.host,
    },
    changed: look,
    failed(server, reason) {
      failures.push(`${server}: ${reason}`);
      look();
    },
  });
  return {
    clients,
    folder: at.dir.path,
    failures,
    notes,
    until(holds) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const each = (): void => {
        if (!holds()) return;
        waiting.delete(each);
        resolve();
      };
      waiting.add(each);
      each();
      return promise;
    },
    settled: () => clients.settled(new AbortController().signal),
    tool(name) {
      const tools = clients.toolsets().flatMap((toolset) => toolset.tools);
      const found = tools.find((tool) => tool.name === name);
      if (found !== undefined) return found;
      throw new Error(`There is no tool ${name} among ${tools.map((tool) => tool.name).join(", ")}.`);
    },
    session: (more = {}) => toolStage({ cwd: at.dir.path, clock, ...more }),
    alive: () => at.alive(),
    async [Symbol.asyncDispose]() {
      await clients[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    },
  };
}

/** A server that is no process: what it writes is taken in the next turn of the event loop. */
function startInside(request: StartRequest, notes: string[]): Promise<ServerProcess> {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let isOver = false;
  const later = (run: () => void): Promise<void> =>
    new Promise((done) =>
      setImmediate(() => {
        if (!isOver) run();
        done();
      }),
    );
  const end = (why: string): void => {
    isOver = true;
    resolve(why);
  };
  const server = new TestServer(JSON.parse(request.server.args[0] ?? "{}") as ServerOptions, {
    write: (text) => later(() => request.output(Buffer.from(text))),
    complain: (text) => later(() => request.complained(text.length)),
    die: (code) => end(`it ended with exit code ${code}.`),
    note: (text) => notes.push(`${request.server.name} ${text}`),
    facts: {},
  });
  void server.start();
  return Promise.resolve({
    write: (text) => later(() => server.take(text.trim())),
    ended,
    kill: () => end("it was killed"),
  });
}
