import type { HomeStore } from "../../providers/store/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { AppSettings } from "../config/settings.ts";
import { shownStoreUrl } from "../config/store.ts";
import { type Difference, differencesAmong } from "./agreement.ts";
import { type ClusterHost, clusterHosts } from "./cluster-hosts.ts";

/** A host of a store as it is shown. */
export interface ShownHost {
  readonly hostId: string;
  /** `undefined` for a process that reports nothing of itself, such as `agent run`. */
  readonly machine?: string;
  readonly pid: number;
  readonly version?: string;
  /** Unix milliseconds. */
  readonly since?: number;
  readonly alive: boolean;
  /** It is the one that is asked. */
  readonly isThis: boolean;
  /** Turns that run. */
  readonly running?: number;
  /** Sessions that it holds. */
  readonly leases: number;
  /** Milliseconds since its last report; hosts report every ten seconds. */
  readonly lagMs?: number;
  readonly databaseMs?: number;
  readonly advertise?: string;
}

/** The hosts of a store. */
export interface ClusterStatus {
  /** The database without its password; absent where the store is the home's own. */
  readonly database?: {
    readonly url: string;
    readonly version: string;
    readonly latencyMs: number;
    readonly schema: number;
    readonly faults: readonly string[];
  };
  readonly hosts: readonly ShownHost[];
  readonly differences: readonly Difference[];
}

/** Looks at the hosts that share a store. @throws HostError `store_*` */
export async function clusterStatus(
  { store: { url, listenUrl } }: Pick<AppSettings, "store">,
  store: HomeStore,
): Promise<ClusterStatus> {
  const noted = await clusterHosts(store.records);
  const status = { hosts: await shownHosts(store, noted), differences: differencesAmong(noted) };
  if (url === undefined) return status;
  const { databaseFaults, inspectDatabase } = await import("../../providers/store/postgres/inspect.ts");
  const facts = await inspectDatabase(url, listenUrl);
  const { version, latencyMs, schema } = facts;
  return {
    ...status,
    database: { url: shownStoreUrl(url), version, latencyMs, schema, faults: databaseFaults(facts) },
  };
}

async function shownHosts(store: HomeStore, noted: readonly ClusterHost[]): Promise<readonly ShownHost[]> {
  // Of those that died only what they left behind is of interest.
  const known = new Map(noted.filter(({ alive }) => alive).map((each) => [each.hostId, each]));
  const processes = new Map((await store.processes()).map((each) => [each.hostId, each]));
  const now = store.now();
  return [...new Set([...known.keys(), ...processes.keys()])].map((hostId) => {
    const host = known.get(hostId);
    const holds = processes.get(hostId);
    const { pid, version, since, running, databaseMs, at } = host?.report ?? {};
    return {
      hostId,
      pid: pid ?? holds?.pid ?? 0,
      alive: holds?.alive ?? host !== undefined,
      isThis: hostId === store.hostId,
      leases: holds?.sessions.length ?? 0,
      ...defined({ machine: host?.machine.name, version, since, running, databaseMs }),
      ...defined({ advertise: host?.advertise, lagMs: at === undefined ? undefined : Math.max(0, now - at) }),
    };
  });
}
