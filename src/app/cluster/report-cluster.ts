import type { LiveSettings } from "../config/live-settings.ts";
import type { ProcessLog } from "../process/log.ts";
import { packageVersion } from "../process/version.ts";
import type { Host } from "../../core/index.ts";
import type { HomeStore } from "../../providers/store/index.ts";
import { agreementOf, differencesAmong } from "./agreement.ts";
import type { ClusterHosts } from "./cluster-hosts.ts";

/** The parts of the process that reports. */
export interface ReportingParts {
  readonly store: HomeStore;
  readonly live: LiveSettings;
  readonly host: Host;
  readonly log: Pick<ProcessLog, "write">;
  readonly pid: number;
}

/** Reports this host to those that share its store, if any do. */
export function reportCluster(
  hosts: ClusterHosts | undefined,
  { store, live, host, log, pid }: ReportingParts,
): void {
  hosts?.report({
    now: () => store.now(),
    describe: () => ({
      pid,
      version: packageVersion(),
      since: Math.round(performance.timeOrigin),
      running: host.running,
      agreement: agreementOf(live.current),
    }),
    told(all) {
      const nameOf = (id: string): string => {
        const found = all.find(({ hostId }) => hostId === id);
        return found === undefined ? id : `${found.machine.name} (${found.report?.pid ?? "not open yet"})`;
      };
      for (const { topic, groups } of differencesAmong(all)) {
        const others = groups.filter((group) => !group.includes(store.hostId)).flat();
        if (others.length === groups.flat().length) continue;
        const reason = `${topic} is another one on ${others.map(nameOf).join(", ")}: make it the same on each machine.`;
        log.write({ event: "cluster.differs", level: "warn", topic, reason });
      }
    },
  });
}
