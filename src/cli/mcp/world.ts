import type { Clock, Host } from "../../core/index.ts";
import type { GuardedWeb } from "../../providers/fetch/index.ts";
import type { McpWorld, ServerWeb } from "../../providers/mcp/index.ts";
import type { Spawner } from "../../providers/tools/index.ts";
import { packageVersion } from "../version.ts";
import { mcpProcesses } from "./processes.ts";
import { sample } from "./sample.ts";

export interface WorldParts {
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly host: () => Host;
}

/** What connections to servers need of this process. */
export function mcpWorld(
  { spawner, clock, host }: WorldParts,
  options: {
    readonly cwd: string;
    readonly session: string;
    /** Private hosts that servers may be at; `own`: the addresses are the owner's, who may name any. */
    readonly privateHosts: readonly string[] | "own";
  },
): McpWorld {
  const { cwd, session, privateHosts } = options;
  return {
    version: packageVersion(),
    clock,
    cwd,
    session,
    start: mcpProcesses(spawner),
    web({ url }) {
      const { host: named, hostname } = new URL(url);
      // Whoever may name a program for this machine may name a port of it too.
      const mayBeHere = privateHosts === "own" || isThisMachine(hostname);
      return webOnUse([...(mayBeHere ? [named] : []), ...(privateHosts === "own" ? [] : privateHosts)]);
    },
    sample: (request) => sample(host(), request),
  };
}

const isThisMachine = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);

/** Loaded when it is used: most servers are programs. */
function webOnUse(allow: readonly string[]): ServerWeb {
  let web: Promise<GuardedWeb> | undefined;
  return {
    async fetch(url, init) {
      web ??= import("../../providers/fetch/index.ts").then(({ guardedWeb }) => guardedWeb({ allow }));
      return await (await web).fetch(url, init);
    },
    async [Symbol.asyncDispose]() {
      await (await web)?.[Symbol.asyncDispose]();
    },
  };
}
