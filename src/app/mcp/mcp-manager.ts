import { waitAtMost } from "../../shared/async/deadline.ts";
import type { SlashCommand, Toolset } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { McpClientsOptions, McpClients, McpServer, McpServerStatus } from "../../providers/mcp/index.ts";
import { mcpSecrets, configuredMcpServers } from "../config/mcp-servers.ts";
import { serverContext, type ServerContextParts } from "./server-context.ts";

/** The options of the MCP manager. */
export interface McpManagerOptions extends ServerContextParts {
  /** Absolute. */
  readonly cwd: string;
}

/** The session for which a client names servers. */
export interface SessionServersRequest {
  readonly sessionId: string;
  /** Absolute. */
  readonly cwd: string;
  /** Told of a server that cannot be reached, or was lost. */
  readonly failed: (server: string, reason: string) => void;
}

/** A server as lists show it; `configured` means that nothing has used it yet. */
export type ServerView = Omit<McpServerStatus, "status"> & {
  readonly status: McpServerStatus["status"] | "configured";
};

/** Milliseconds until the servers are begun with: what the process was started for comes first. */
const SOON_MS = 300;
/** The same for servers that a client named: the session's opening is answered first. */
const NAMED_MS = 30;
/** Milliseconds that a reload waits for the servers at most; they go on connecting afterwards. */
const RELOAD_MS = 10_000;
/** Milliseconds that servers get to be there before a turn that waits for them. */
const TURN_MS = 5000;
/** Values that are kept secret of servers that clients named: the newest. */
const MOST_SECRETS = 1000;
/** To whom the programs of configured servers belong in the ledger of processes. */
const CONFIGURED = "mcp";
const NO_TOOLSETS: readonly Toolset[] = [];

/**
 * The MCP servers of this process: those of the configuration, which all sessions share, and those that clients name
 * for their sessions. The client library is loaded when the first one is to be connected.
 */
export class McpManager implements AsyncDisposable {
  readonly #options: McpManagerOptions;
  readonly #unsubscribe: () => void;
  readonly #listeners = new Set<() => void>();
  readonly #named = new Map<McpClients, string>();
  #configured: readonly McpServer[] = [];
  #namedSecrets: readonly string[] = [];
  #links: McpClients | undefined;
  #starting: Promise<void> | undefined;
  #cancelStart: () => void = () => undefined;
  #isWanted = false;
  #isClosed = false;

  constructor(options: McpManagerOptions) {
    this.#options = options;
    this.#unsubscribe = options.live.subscribe(() => this.#settingsChanged());
    this.#settingsChanged();
  }

  /** Values that must not be shown, in the settings of servers that clients named. */
  get secrets(): readonly string[] {
    return this.#namedSecrets;
  }

  /** Those of the configured servers; the same list as long as nothing changed. */
  toolsets(): readonly Toolset[] {
    return this.#links?.toolsets() ?? NO_TOOLSETS;
  }

  /** The configured servers' prompts. */
  prompts(): readonly SlashCommand[] {
    return this.#links?.commands() ?? [];
  }

  /** The configured servers, and those that were named for a session. */
  servers(session?: string): readonly ServerView[] {
    const own = this.#links?.servers() ?? this.#configured.map(unconnected);
    const named = [...this.#named].filter(([, of]) => of === session).flatMap(([links]) => links.servers());
    return [...own, ...named];
  }

  /** Calls back when a configured server's state, or what one offers, has changed; until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Does what `start` does in a moment, when whoever started this process has been greeted: loading the library takes
   * long enough to be felt.
   */
  startSoon(): void {
    this.#cancelStart = this.#options.clock.after(SOON_MS, () => this.start());
  }

  /** Begins to connect the configured servers, now and whenever there are new ones; returns at once. */
  start(): void {
    this.#isWanted = true;
    this.#cancelStart();
    if (this.#starting !== undefined || this.#isClosed || this.#configured.length === 0) return;
    const { cwd } = this.#options;
    const host = serverContext(this.#options, { cwd, session: CONFIGURED, privateHosts: "own" });
    this.#starting = this.#connect(this.#configured, { host, changed: () => this.#tell() }).then(
      (links) => {
        this.#links = links;
        // They may have changed while the library was loaded.
        links.apply(this.#isClosed ? [] : this.#configured);
      },
      (thrown: unknown) => {
        this.#starting = undefined;
        this.#options.host().services.report(toHostError(thrown));
      },
    );
  }

  /** Begins, and waits until each configured server is connected or known not to be; so many milliseconds at most. */
  async ready(ms: number, signal: AbortSignal): Promise<void> {
    this.start();
    await waitAtMost({ clock: this.#options.clock, ms, signal }, async (waiting) => {
      await this.#starting;
      await this.#links?.settled(waiting);
    });
  }

  /** The same, before a turn that would otherwise begin without them. */
  readyForTurn(signal: AbortSignal): Promise<void> {
    return this.ready(TURN_MS, signal);
  }

  /** Connects all configured servers anew, by the settings as they are now. @throws HostError `config_invalid` */
  async reload(signal: AbortSignal): Promise<void> {
    await this.#options.live.refresh();
    this.#links?.reload(this.#configured);
    await this.ready(RELOAD_MS, signal);
  }

  /** Tries some of the configured servers, on connections of their own that are closed again. */
  async probe(wanted: (name: string) => boolean, ms: number): Promise<readonly ServerView[]> {
    const { cwd, clock } = this.#options;
    const host = serverContext(this.#options, { cwd, session: CONFIGURED, privateHosts: "own" });
    const bound = this.#configured
      .filter(({ name }) => wanted(name))
      .map((server) => ({ ...server, connectMs: Math.min(ms, server.connectMs ?? ms) }));
    await using links = await this.#connect(bound, { host });
    await waitAtMost({ clock, ms: 2 * ms }, (waiting) => links.settled(waiting));
    return links.servers();
  }

  /** Connects the servers that a client names for a session, in the background. */
  connectFor(servers: readonly McpServer[], { sessionId, cwd, failed }: SessionServersRequest) {
    const closing = new AsyncDisposableStack();
    this.#hideSecrets(servers);
    let wanted = servers;
    let links: McpClients | undefined;
    let hasFailed = false;
    const { live, clock } = this.#options;
    const privateHosts = live.current.blocks.web?.private_hosts ?? [];
    const host = serverContext(this.#options, { cwd, session: sessionId, privateHosts });
    const connect = async (): Promise<void> => {
      const made = await this.#connect(wanted, { host, failed });
      if (closing.disposed) return await made[Symbol.asyncDispose]();
      // They may be others since they were begun with.
      made.apply(wanted);
      closing.use(made);
      this.#named.set(made, sessionId);
      closing.defer(() => void this.#named.delete(made));
      links = made;
    };
    const begin = (): void => {
      hasFailed = false;
      void connect().catch((thrown: unknown) => {
        hasFailed = true;
        for (const { name } of wanted) failed(name, toHostError(thrown).message);
      });
    };
    closing.defer(clock.after(NAMED_MS, begin));
    return {
      toolsets: () => links?.toolsets() ?? NO_TOOLSETS,
      reload: (others: readonly McpServer[]) => {
        this.#hideSecrets(others);
        wanted = others;
        if (hasFailed) begin();
        else links?.reload(others);
      },
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    };
  }

  /** Values that servers have are kept secret. They stay known: what a session's log holds outlives its servers. */
  #hideSecrets(servers: readonly McpServer[]): void {
    const secrets = new Set([...this.#namedSecrets, ...mcpSecrets(servers)]);
    this.#namedSecrets = [...secrets].slice(-MOST_SECRETS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#cancelStart();
    this.#unsubscribe();
    await this.#starting;
    await this.#links?.[Symbol.asyncDispose]();
  }

  async #connect(servers: readonly McpServer[], options: McpClientsOptions): Promise<McpClients> {
    const { McpClients } = await import("../../providers/mcp/index.ts");
    return new McpClients(this.#isClosed ? [] : servers, options);
  }

  #settingsChanged(): void {
    const { live } = this.#options;
    this.#configured = configuredMcpServers(live.current.blocks.mcp_servers, live.env);
    this.#links?.apply(this.#configured);
    if (this.#isWanted) this.start();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function unconnected({ name, type, disabled = false }: McpServer): ServerView {
  const status = disabled ? "disabled" : "configured";
  return { name, transport: type, status, tools: [], prompts: [], resources: false, notes: [] };
}
