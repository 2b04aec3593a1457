import type { AnyTool, SlashCommand, Toolset } from "../../core/index.ts";
import { canonicalJson } from "../../shared/json/json.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { McpLink } from "./link.ts";
import type { Listing } from "./listing.ts";
import { mcpTool, type UseServer } from "./mcp-tool.ts";
import { promptCommands } from "./prompt-commands.ts";
import { resourceTools } from "./resource-tools.ts";
import type { McpServer } from "./server.ts";
import { markedName } from "./tool-name.ts";
import type { McpWorld } from "./world.ts";

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
  /** What of it is not used, and why. */
  readonly notes: readonly string[];
}

export interface LinksOptions {
  readonly world: McpWorld;
  /** Told of a server that cannot be reached, or was lost. */
  readonly failed?: (server: string, reason: string) => void;
  /** The state of a server, or what one offers, is another. */
  readonly changed?: () => void;
}

/** What comes of one server, made anew when something about it changes. */
interface Offer {
  readonly toolset: Toolset;
  readonly commands: readonly SlashCommand[];
  readonly status: Omit<McpServerStatus, "tools">;
}

/** Servers that are connected, or on their way: what they offer is there as soon as they are. */
export class McpLinks implements AsyncDisposable {
  readonly #options: LinksOptions;
  readonly #links = new Map<string, McpLink>();
  readonly #offers = new Map<string, Offer>();
  /** Those that were taken away, but have calls to end. */
  readonly #leaving = new Set<McpLink>();
  #toolsets: readonly Toolset[] = [];
  #isClosed = false;

  /** Begins to connect; returns at once. */
  constructor(servers: readonly McpServer[], options: LinksOptions) {
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
      return { ...status, tools: named.tools.map(({ name }) => name) };
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
    await Promise.all([...this.#links.values()].map((link) => link.settled(signal)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const links = [...this.#links.values(), ...this.#leaving];
    this.#links.clear();
    this.#offers.clear();
    this.#toolsets = [];
    await Promise.all(links.map((link) => link.close()));
  }

  #replace(servers: readonly McpServer[], isOther: (now: McpServer, next: McpServer) => boolean): void {
    if (this.#isClosed) return;
    const before = new Map(this.#links);
    this.#links.clear();
    for (const server of servers) {
      // Of two with one name, the first counts.
      if (this.#links.has(server.name)) continue;
      const known = before.get(server.name);
      const isKept = known !== undefined && !isOther(known.server, server);
      this.#links.set(server.name, isKept ? known : this.#begin(server, known?.listing));
      if (isKept) before.delete(server.name);
    }
    for (const [name, link] of before) {
      if (!this.#links.has(name)) this.#offers.delete(name);
      this.#leaving.add(link);
      void link.retire().finally(() => this.#leaving.delete(link));
    }
    this.#assemble();
    this.#options.changed?.();
  }

  #begin(server: McpServer, before: Listing | undefined): McpLink {
    const { world, failed, changed } = this.#options;
    const link: McpLink = new McpLink(server, world, {
      failed: (reason) => this.#links.get(server.name) === link && failed?.(server.name, reason),
      changed: () => {
        if (this.#links.get(server.name) !== link) return;
        this.#offer(link);
        this.#assemble();
        changed?.();
      },
      ...(before === undefined ? {} : { before }),
    });
    this.#offer(link);
    // The map has to know it before it speaks.
    queueMicrotask(() => link.start());
    return link;
  }

  #offer(link: McpLink): void {
    const { server, state, listing } = link;
    const { name } = server;
    const notes = [...(listing?.notes ?? [])];
    const use: UseServer = (work, signal) => this.#current(name).use(work, signal);
    const tools = listing === undefined ? [] : toolsOf(server, listing, { use, notes });
    const commands = promptCommands(name, listing?.prompts ?? [], use);
    const label = name;
    const description = `Tools of the MCP server ${name}`;
    const remedy = state.status === "failed" ? state.reason : "it is being connected";
    const toolset: Toolset =
      listing === undefined
        ? { name: `mcp:${name}`, label, description, tools: [], configured: false, remedy }
        : { name: `mcp:${name}`, label, description, tools, configured: true };
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

  #assemble(): void {
    const taken = new Set<string>();
    const shown = [...this.#links.values()].filter(({ state }) => state.status !== "disabled");
    this.#toolsets = shown.flatMap(({ server }) => {
      const offer = this.#offers.get(server.name);
      return offer === undefined ? [] : [withNamesOfItsOwn(offer.toolset, server.name, taken)];
    });
  }

  #inOrder(): readonly Offer[] {
    return [...this.#links.keys()].flatMap((name) => this.#offers.get(name) ?? []);
  }

  #current(name: string): McpLink {
    const link = this.#links.get(name);
    if (link !== undefined) return link;
    throw new HostError("tool_failed", `MCP server ${name}: it was taken away`);
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
