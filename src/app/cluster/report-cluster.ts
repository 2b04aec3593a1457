import { hostname } from "node:os";
import { defined } from "../../shared/json/defined.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import type { ProcessLog } from "../process/log.ts";
import { packageVersion } from "../process/version.ts";
import { storeClock } from "../store/store-clock.ts";
import type { Host } from "../../core/index.ts";
import type { HomeStore } from "../../providers/store/index.ts";
import { agreementOf, differencesOf } from "./agreement.ts";
import { HostReports } from "./host-reports.ts";

/** The parts of the process that reports. */
export interface ReportingParts {
  readonly store: HomeStore;
  readonly live: LiveSettings;
  readonly host: Host;
  readonly log: Pick<ProcessLog, "write">;
  readonly pid: number;
}

/** Reports this host to those that share its store; `undefined` where nobody does. */
export function reportCluster({ store, live, host, log, pid }: ReportingParts): HostReports | undefined {
  if (live.current.store.url === undefined) return undefined;
  const reports = new HostReports({
    records: store.records,
    clock: storeClock(store),
    hostId: store.hostId,
    describe: () => ({
      machine: hostname(),
      pid,
      version: packageVersion(),
      since: Math.round(performance.timeOrigin),
      running: host.running,
      agreement: agreementOf(live.current),
      ...defined({ advertise: live.current.cluster.advertise }),
    }),
    told(all) {
      const hosts = [...all].map(([hostId, report]) => ({ hostId, ...report }));
      const nameOf = (id: string): string => {
        const found = all.get(id);
        return found === undefined ? id : `${found.machine} (${found.pid})`;
      };
      for (const { topic, groups } of differencesOf(hosts)) {
        const others = groups.filter((group) => !group.includes(store.hostId)).flat();
        if (others.length === groups.flat().length) continue;
        const reason = `${topic} is another one on ${others.map(nameOf).join(", ")}: make it the same on each machine.`;
        log.write({ event: "cluster.differs", level: "warn", topic, reason });
      }
    },
  });
  reports.start();
  return reports;
}
