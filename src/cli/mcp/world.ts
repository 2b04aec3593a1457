import type { Clock, Host } from "../../core/index.ts";
import { guardedWeb } from "../../providers/fetch/index.ts";
import type { McpWorld } from "../../providers/mcp/index.ts";
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
    /** Their addresses are the owner's own: they may be private. */
    readonly trustsAddresses: boolean;
  },
): McpWorld {
  const { cwd, session, trustsAddresses } = options;
  return {
    version: packageVersion(),
    clock,
    cwd,
    session,
    start: mcpProcesses(spawner),
    web({ url }) {
      const { host: named, hostname } = new URL(url);
      // Whoever may name a program for this machine may name a port of it too.
      const isAllowed = trustsAddresses || isThisMachine(hostname);
      return guardedWeb({ allow: isAllowed ? [named, hostname] : [] });
    },
    sample: (request) => sample(host(), request),
  };
}

const isThisMachine = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
