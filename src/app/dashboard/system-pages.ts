import { z } from "zod";
import type { SystemPort } from "../../dashboard/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { askOwnProgram } from "../process/own-program.ts";
import { diskOf } from "../process/process-stats.ts";
import { packageVersion } from "../process/version.ts";
import { diskUsage } from "../system/disk-usage.ts";
import { type HealthParts, healthRows } from "../system/health-rows.ts";
import type { ConnectorContext } from "../background/connector.ts";
import type { Agent } from "../compose.ts";

/** The parts of the process that the page System works with. */
export interface SystemPageParts extends HealthParts, Pick<ConnectorContext, "io" | "restart" | "updates"> {
  readonly agent: Agent;
}

const CHECKS_MS = 120_000;
const LOW = 0.1;
const Checks = z.array(z.object({ name: z.string(), ok: z.boolean(), text: z.string() }));

/** The process and its home, for the dashboard. */
export function systemPages(parts: SystemPageParts): SystemPort {
  const { agent, io, restart } = parts;
  const { home } = agent.settings.paths;
  return {
    state: () => ({
      version: packageVersion(),
      node: process.versions.node,
      pid: io.pid,
      started_at: Math.floor(performance.timeOrigin / 1000),
      home,
      running: agent.host.running,
      ...(restart === undefined ? { no_restart: noRestart(io.pid) } : {}),
    }),
    health: () => healthRows(parts),
    async checkAll(asking) {
      const signal = AbortSignal.any([asking, AbortSignal.timeout(CHECKS_MS)]);
      const overrides = (io.set ?? []).flatMap((each) => ["--set", each]);
      return Checks.parse(await askOwnProgram(io, ["doctor", "--json", ...overrides], signal));
    },
    async disk() {
      const disk = await diskOf(home);
      return {
        parts: [...(await diskUsage(home))].map(([part, bytes]) => ({ part, bytes })),
        ...(disk === undefined ? {} : { disk }),
        low: disk !== undefined && disk.free < disk.total * LOW,
      };
    },
    restart() {
      if (restart === undefined) throw new HostError("conflict", noRestart(io.pid));
      restart();
    },
  };
}

const noRestart = (pid: number): string =>
  `This system does not let a program take its own place. Stop process ${pid} with \`kill ${pid}\`, then start it again as before, such as with \`agent gateway\`.`;
