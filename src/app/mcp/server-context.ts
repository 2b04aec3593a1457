import { isIP } from "node:net";
import type { Host } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { environmentProxies } from "../../shared/net/proxies.ts";
import type { DestinationRules, GuardedWeb } from "../../providers/fetch/index.ts";
import type { McpHost, ServerWeb, WebServer } from "../../providers/mcp/index.ts";
import type { Spawner } from "../../providers/tools/index.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { provideKey } from "../keys/required-keys.ts";
import { packageVersion } from "../process/version.ts";
import type { SessionSandboxes } from "../sandbox/session-sandboxes.ts";
import { mcpLoginStore } from "./login-store.ts";
import { serverStarter, serverWalls } from "./server-processes.ts";
import { sampleFor } from "./sample.ts";
import { isLoopbackHost } from "../../shared/net/loopback.ts";

/** The services from which the context of a server is made. */
export interface ServerContextParts {
  readonly spawner: Spawner;
  readonly sandboxes: SessionSandboxes;
  readonly clock: Clock;
  readonly host: () => Host;
  /** Names the proxies on the way out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly live: LiveSettings;
}

/** The parts of this process that connections to servers use. */
export function serverContext(
  { spawner, sandboxes, clock, host, env, live }: ServerContextParts,
  options: {
    readonly cwd: string;
    readonly session: string;
    /** Private hosts that servers may be at; `own`: the addresses are the owner's, who may name any. */
    readonly privateHosts: readonly string[] | "own";
  },
): McpHost {
  const { cwd, session, privateHosts } = options;
  return {
    version: packageVersion(),
    clock,
    cwd,
    session,
    // Who names private hosts is the owner; what a client or a project names is not the person's own program.
    start: serverStarter(spawner, serverWalls(sandboxes, { isOwn: privateHosts === "own" })),
    web({ url }) {
      const { host: named, hostname } = new URL(url);
      // A client that may start programs on this machine may also reach its ports.
      const mayBeHere = privateHosts === "own" || isLoopbackHost(hostname);
      const allow = [...(mayBeHere ? [named] : []), ...(privateHosts === "own" ? [] : privateHosts)];
      return lazyWeb({ allow, proxies: environmentProxies(env), unresolved: "proxy" });
    },
    // A login is the owner's, and so are the servers that it is for.
    ...(privateHosts === "own" && {
      login: (server: WebServer) => ({
        store: mcpLoginStore(live.current.paths.home, server),
        web: () => loginWeb(server, { env, privateHosts: live.current.blocks.web?.private_hosts ?? [] }),
      }),
    }),
    sample: (request) => sampleFor(host(), request),
    async provideKeys({ name: server, missing }, context) {
      const reason = `The MCP server ${server} needs a key.`;
      for (const name of missing) {
        const problem = await provideKey(live, context, { name, reason, forCommands: false });
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
  };
}

/**
 * The way to the service that gives tokens for a server. A server says itself where that is: so it is on the web, or on the machine
 * that the owner has named as the server's, or one of `web.private_hosts`.
 */
export function loginWeb(
  { url }: Pick<WebServer, "url">,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly privateHosts: readonly string[];
  },
): ServerWeb {
  const { host, hostname } = new URL(url);
  const isAddress = isLoopbackHost(hostname) || isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0;
  const allow = [isAddress ? hostname : host, ...options.privateHosts];
  return lazyWeb({ allow, proxies: environmentProxies(options.env), unresolved: "proxy" });
}

/** Loaded when it is used: most servers are programs. */
function lazyWeb(options: DestinationRules): ServerWeb {
  let web: Promise<GuardedWeb> | undefined;
  return {
    async fetch(url, init) {
      web ??= import("../../providers/fetch/index.ts").then(({ guardedWeb }) => guardedWeb(options));
      return await (await web).fetch(url, init);
    },
    async [Symbol.asyncDispose]() {
      await (await web)?.[Symbol.asyncDispose]();
    },
  };
}
