import type { McpLinks, McpRequest, McpServerSpec } from "../acp/index.ts";
import { toHostError, type Toolset } from "../core/index.ts";
import type { Spawner } from "../providers/tools/index.ts";
import { mcpProcesses } from "./mcp-processes.ts";
import { packageVersion } from "./version.ts";

const NONE: readonly Toolset[] = [];

/** Connects servers in the background; the client for them is loaded when the first one is named. */
export function mcpLinks(
  spawner: Promise<Spawner>,
  servers: readonly McpServerSpec[],
  { sessionId: session, cwd, failed }: McpRequest,
): McpLinks {
  const closing = new AsyncDisposableStack();
  let toolsets = (): readonly Toolset[] => NONE;
  const connect = async (): Promise<void> => {
    const { McpConnections } = await import("../providers/mcp/index.ts");
    const start = mcpProcesses(await spawner);
    if (closing.disposed) return;
    const links = closing.use(
      new McpConnections(servers, { version: packageVersion(), start, cwd, session, failed }),
    );
    toolsets = () => links.toolsets();
  };
  connect().catch((thrown: unknown) => {
    for (const { name } of servers) failed(name, toHostError(thrown).message);
  });
  return { toolsets: () => toolsets(), [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
