import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import { toHostError, type Toolset } from "../../core/index.ts";
import { mcpTool } from "./mcp-tool.ts";
import { ProcessTransport } from "./process-transport.ts";
import type { McpServer, StartServer } from "./server.ts";

export interface ConnectOptions {
  readonly version: string;
  readonly start: StartServer;
  /** Absolute. */
  readonly cwd: string;
  readonly session: string;
  /** Told of a server that could not be reached, or was lost. */
  readonly failed: (server: string, reason: string) => void;
}

/** Milliseconds that a server gets to answer for the first time. */
const CONNECT_MS = 60_000;

/** Servers that are connected, or on their way: their tools are there as soon as they are. */
export class McpConnections implements AsyncDisposable {
  readonly #options: ConnectOptions;
  readonly #clients = new Set<Client>();
  readonly #byServer = new Map<string, Toolset>();
  readonly #life = new AbortController();
  #toolsets: readonly Toolset[] = [];

  /** Begins to connect; returns at once. */
  constructor(servers: readonly McpServer[], options: ConnectOptions) {
    this.#options = options;
    for (const server of servers) this.#begin(server);
  }

  /** A toolset for each server that is connected now; the same list as long as nothing changed. */
  toolsets(): readonly Toolset[] {
    return this.#toolsets;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort();
    this.#byServer.clear();
    this.#toolsets = [];
    await Promise.allSettled([...this.#clients].map((client) => client.close()));
  }

  #begin(server: McpServer): void {
    const { start, cwd, session, failed } = this.#options;
    const transport =
      server.type === "stdio" ? new ProcessTransport(start, { server, cwd, session }) : remote(server);
    const reason = (otherwise: string): string =>
      (transport instanceof ProcessTransport ? transport.lastWords : undefined) ?? otherwise;
    const lost = (): void => {
      if (!this.#life.signal.aborted) failed(server.name, reason("the connection has ended"));
    };
    this.#connect(server.name, transport, lost).catch((thrown: unknown) => {
      if (!this.#life.signal.aborted) failed(server.name, reason(toHostError(thrown).message));
    });
  }

  async #connect(server: string, transport: Transport, lost: () => void): Promise<void> {
    const { version } = this.#options;
    const client = new Client(
      { name: "agent-host", version },
      {
        listChanged: {
          tools: { onChanged: (_error, tools) => tools !== null && this.#put(server, client, tools) },
        },
      },
    );
    this.#clients.add(client);
    const { signal } = this.#life;
    await client.connect(transport, { signal, timeout: CONNECT_MS });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK knows no other way
    client.onclose = () => {
      this.#clients.delete(client);
      this.#drop(server);
      lost();
    };
    if (client.getServerCapabilities()?.tools === undefined) return;
    const { tools } = await client.listTools(undefined, { signal });
    this.#put(server, client, tools);
  }

  #put(server: string, client: Client, tools: readonly Tool[]): void {
    if (this.#life.signal.aborted) return;
    this.#byServer.set(server, {
      name: `mcp:${server}`,
      label: server,
      description: `Tools of the MCP server ${server}`,
      tools: tools.map((tool) => mcpTool(server, tool, client)),
      configured: true,
    });
    this.#toolsets = [...this.#byServer.values()];
  }

  #drop(server: string): void {
    this.#byServer.delete(server);
    this.#toolsets = [...this.#byServer.values()];
  }
}

function remote({ type, url, headers }: Extract<McpServer, { type: "http" | "sse" }>): Transport {
  const options = { requestInit: { headers: { ...headers } } };
  return type === "http"
    ? new StreamableHTTPClientTransport(new URL(url), options)
    : new SSEClientTransport(new URL(url), options);
}
