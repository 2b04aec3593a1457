import type { AnyTool, SlashCommand, Toolset } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { canonicalJson } from "../../shared/json/json.ts";
import { toolFailed } from "../../shared/errors/host-error.ts";
import { McpClient } from "./client.ts";
import { connectTool } from "./connect-tool.ts";
import type { Listing } from "./listing.ts";
import { mcpTool, type UseServer } from "./mcp-tool.ts";
import { promptCommands } from "./prompt-commands.ts";
import { resourceTools } from "./resource-tools.ts";
import type { McpServer } from "./server.ts";
import { markedName } from "./tool-name.ts";
import type { McpHost } from "./host.ts";

/** A server as people are shown it. */
export interface McpServerStatus {
  readonly name: string;
  readonly transport: McpServer["type"];
  readonly status: "connecting" | "connected" | "disabled" | "failed";
  /** Why it failed. */
  readonly reason?: string;
  /** As models call them. */
  readonly tools: readonly string[];
  /** Names of the commands that its prompts are. */
  readonly prompts: readonly string[];
  readonly resources: boolean;
  /** The parts of it that are not used, and why. */
  readonly notes: readonly string[];
}

/** The options of a process's MCP clients. */
export interface McpClientsOptions {
  readonly host: McpHost;
  /** Told of a server that cannot be reached, was lost, or is left out. */
  readonly failed?: (server: string, reason: string) => void;
  /** The state of a server, or what one offers, is another. */
  readonly changed?: () => void;
}

/** The tools, commands and state of one server, made anew when something about it changes. */
interface Offer {
  readonly toolset: Toolset;
  readonly commands: readonly SlashCommand[];
  readonly status: Omit<McpServerStatus, "tools">;
}

/** Of servers with one name, the first counts. */
const LEFT_OUT = "another server of the same name is left out; names tell servers and their tools apart";

/** The clients of all servers: their tools and commands are there as soon as a server is connected. */
export class McpClients implements AsyncDisposable {
  readonly #options: McpClientsOptions;
  readonly #clients = new Map<string, McpClient>();
  readonly #offers = new Map<string, Offer>();
  /** Names that more than one server has. */
  #shared: ReadonlySet<string> = new Set();
  /** Those that were taken away, but have calls to end. */
  readonly #leaving = new Set<McpClient>();
  #toolsets: readonly Toolset[] = [];
  #isClosed = false;

  /** Begins to connect; returns at once. */
  constructor(servers: readonly McpServer[], options: McpClientsOptions) {
    this.#options = options;
    this.apply(servers);
  }

  /** A toolset for each server that is not switched off, in their order; the same list as long as nothing changed. */
  toolsets(): readonly Toolset[] {
    return this.#toolsets;
  }

  /** The servers' prompts. */
  commands(): readonly SlashCommand[] {
    return this.#inOrder().flatMap(({ commands }) => commands);
  }

  servers(): readonly McpServerStatus[] {
    return this.#inOrder().map(({ toolset, status }) => {
      // Under the names that they have beside those of the others.
      const named = this.#toolsets.find(({ name }) => name === toolset.name) ?? toolset;
      const tools = named.tools.map(({ name }) => name);
      const notes = this.#shared.has(status.name) ? [...status.notes, LEFT_OUT] : status.notes;
      return { ...status, tools, notes };
    });
  }

  /** Lets other settings hold: connects what is new or other than before, ends what is gone. Returns at once. */
  apply(servers: readonly McpServer[]): void {
    this.#replace(servers, (now, next) => canonicalJson(now) !== canonicalJson(next));
  }

  /** Connects all servers anew. Calls that run go on to their end on the connections that they have. */
  reload(servers: readonly McpServer[]): void {
    this.#replace(servers, () => true);
  }

  /** Resolves when each server is connected or known not to be, or when the signal aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.settled(signal)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const clients = [...this.#clients.values(), ...this.#leaving];
    this.#clients.clear();
    this.#offers.clear();
    this.#toolsets = [];
    await Promise.all(clients.map((client) => client.close()));
  }

  #replace(servers: readonly McpServer[], isOther: (now: McpServer, next: McpServer) => boolean): void {
    if (this.#isClosed) return;
    const before = new Map(this.#clients);
    const shared = new Set<string>();
    this.#clients.clear();
    for (const server of servers) {
      if (this.#clients.has(server.name)) {
        shared.add(server.name);
        continue;
      }
      const known = before.get(server.name);
      const isKept = known !== undefined && !isOther(known.server, server);
      this.#clients.set(server.name, isKept ? known : this.#begin(server, known?.listing));
      if (isKept) before.delete(server.name);
    }
    for (const [name, client] of before) {
      if (!this.#clients.has(name)) this.#offers.delete(name);
      this.#leaving.add(client);
      void client.retire().finally(() => this.#leaving.delete(client));
    }
    // Who was told need not hear it with each change of the settings.
    const told = this.#shared;
    this.#shared = shared;
    for (const name of shared) if (!told.has(name)) this.#options.failed?.(name, LEFT_OUT);
    this.#assemble();
    this.#options.changed?.();
  }

  #begin(server: McpServer, before: Listing | undefined): McpClient {
    const { host, failed, changed } = this.#options;
    const client: McpClient = new McpClient(server, host, {
      failed: (reason) => this.#clients.get(server.name) === client && failed?.(server.name, reason),
      changed: () => {
        if (this.#clients.get(server.name) !== client) return;
        this.#offer(client);
        this.#assemble();
        changed?.();
      },
      ...defined({ before }),
    });
    this.#offer(client);
    // The map has to know it before it speaks.
    queueMicrotask(() => client.start());
    return client;
  }

  #offer(client: McpClient): void {
    const { server, state, listing } = client;
    const { name } = server;
    const notes = [...(listing?.notes ?? [])];
    const use: UseServer = (work, signal) => this.#current(name).use(work, signal);
    const tools = listing === undefined ? [] : toolsOf(server, listing, { use, notes });
    const commands = promptCommands(name, listing?.prompts ?? [], use);
    const about = { name: `mcp:${name}`, label: name, description: `Tools of the MCP server ${name}` };
    const remedy = state.status === "failed" ? state.reason : "it is being connected";
    const connect = listing === undefined ? this.#connectTool(client) : undefined;
    const toolset: Toolset =
      listing === undefined && connect === undefined
        ? { ...about, tools: [], configured: false, remedy }
        : { ...about, tools: connect === undefined ? tools : [connect], configured: true };
    const status: Offer["status"] = {
      name,
      transport: server.type,
      status: state.status,
      ...(state.status === "failed" ? { reason: state.reason } : {}),
      prompts: commands.map((command) => command.name),
      resources: listing?.resources ?? false,
      notes,
    };
    this.#offers.set(name, { toolset, commands, status });
  }

  /** The tool with which a model gets a server connected that lacks keys, once it is needed. */
  #connectTool({ server: { name, missing = [] } }: McpClient): AnyTool | undefined {
    const { provideKeys } = this.#options.host;
    if (missing.length === 0 || provideKeys === undefined) return undefined;
    return connectTool({ name, missing }, async (context) => {
      const problem = await provideKeys({ name, missing }, context);
      if (problem !== undefined) throw toolFailed(`MCP server ${name}: ${problem}`);
      const client = this.#current(name);
      await client.settled(context.signal);
      const { state } = client;
      if (state.status === "failed") throw toolFailed(`MCP server ${name}: ${state.reason}`);
      return (
        this.#toolsets.find((toolset) => toolset.name === `mcp:${name}`)?.tools.map((tool) => tool.name) ?? []
      );
    });
  }

  #assemble(): void {
    const taken = new Set<string>();
    const shown = [...this.#clients.values()].filter(({ state }) => state.status !== "disabled");
    this.#toolsets = shown.flatMap(({ server }) => {
      const offer = this.#offers.get(server.name);
      return offer === undefined ? [] : [withNamesOfItsOwn(offer.toolset, server.name, taken)];
    });
  }

  #inOrder(): readonly Offer[] {
    return [...this.#clients.keys()].flatMap((name) => this.#offers.get(name) ?? []);
  }

  #current(name: string): McpClient {
    const client = this.#clients.get(name);
    if (client !== undefined) return client;
    throw toolFailed(`MCP server ${name}: it was taken away`);
  }
}

/** The tools of a server that its owner wants, and those that read its resources. */
function toolsOf(
  server: McpServer,
  listing: Listing,
  { use, notes }: { readonly use: UseServer; readonly notes: string[] },
): readonly AnyTool[] {
  const { name, include, exclude = [] } = server;
  const wanted = listing.tools.filter(
    (tool) => (include === undefined || include.includes(tool.name)) && !exclude.includes(tool.name),
  );
  const tools = wanted.map((tool) => mcpTool(name, tool, { use, notes }));
  const taken = new Set(tools.map((tool) => tool.name));
  const reading = listing.resources ? resourceTools(name, use).filter((tool) => !taken.has(tool.name)) : [];
  return [...tools, ...reading];
}

/** Two servers' tools may come to the same name, such as `c` of `a_b` and `b_c` of `a`. */
function withNamesOfItsOwn(toolset: Toolset, server: string, taken: Set<string>): Toolset {
  const isFree = toolset.tools.every(({ name }) => !taken.has(name));
  const tools = isFree
    ? toolset.tools
    : toolset.tools.map((tool) =>
        taken.has(tool.name) ? { ...tool, name: markedName(tool.name, `${server}\0${tool.name}`) } : tool,
      );
  for (const { name } of tools) taken.add(name);
  return isFree ? toolset : { ...toolset, tools };
}
