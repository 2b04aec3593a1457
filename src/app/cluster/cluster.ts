import { hostname } from "node:os";
import type { HomeMachine, Machines } from "../../core/index.ts";
import { type HomeStore, networkFileSystemOf, readIdentity } from "../../providers/store/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { AppSettings } from "../config/settings.ts";
import { ClusterHosts } from "./cluster-hosts.ts";
import { clusterMachines } from "./cluster-machines.ts";

/** This host among those that share its store. */
export interface Cluster extends AsyncDisposable {
  readonly hosts: ClusterHosts;
  readonly machines: Machines;
}

/** The part that this process takes. */
export interface ClusterChoice {
  readonly pid: number;
  /** It stays: others may leave work to it. */
  readonly resident: boolean;
}

/** Joins the machines that share a store; `undefined` where the store is the home's own. @throws HostError `store_*` */
export async function joinCluster(
  { store: { url }, cluster }: Pick<AppSettings, "store" | "cluster">,
  store: Pick<HomeStore, "records" | "hostId">,
  { pid, resident }: ClusterChoice,
): Promise<Cluster | undefined> {
  if (url === undefined) return undefined;
  const { records, hostId } = store;
  const here = machineOf(pid);
  const { advertise, adoptWorkspaces } = cluster;
  const hosts = new ClusterHosts({ records, hostId, machine: here, ...defined({ advertise }) });
  if (resident) await hosts.join();
  return {
    hosts,
    machines: clusterMachines({ here, hosts, adopts: () => adoptWorkspaces, sharedStorage }),
    [Symbol.asyncDispose]: async () => {
      if (resident) await hosts[Symbol.asyncDispose]();
    },
  };
}

/** Containers of one image may have the same machine id, and machines of one name different ones. */
function machineOf(pid: number): HomeMachine {
  const name = hostname();
  const { machineId, bootId } = readIdentity(pid);
  return { id: `${name}:${machineId || bootId}`, name };
}

/** A folder that is not there yet will be on this machine's disk. */
function sharedStorage(path: string): string | undefined {
  try {
    return networkFileSystemOf(path);
  } catch {
    return undefined;
  }
}
