import { hostname } from "node:os";
import {
  type HomeMachine,
  type Host,
  HostError,
  type Machines,
  messageOf,
  systemClock,
} from "../../core/index.ts";
import { type HomeStore, networkFileSystemOf, readIdentity } from "../../providers/store/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { AppSettings } from "../config/settings.ts";
import { chosenFolder, sessionFolder } from "../config/terminal.ts";
import { ClusterHosts } from "./cluster-hosts.ts";
import { clusterMachines } from "./cluster-machines.ts";
import { PeerLinks } from "./link/peer-links.ts";

/** This host among those that share its store. */
export interface Cluster extends AsyncDisposable {
  readonly hosts: ClusterHosts;
  readonly machines: Machines;
  /** Absent without an address and a secret: then hosts meet in the store alone. */
  readonly peers?: PeerLinks;
}

/** The part that this process takes. */
export interface ClusterChoice {
  readonly pid: number;
  /** Where it was started. */
  readonly cwd: string;
  /** It stays: others may leave work to it. */
  readonly resident: boolean;
  /** This process's host, once it is open. */
  readonly host: () => Host | undefined;
}

/** Joins the machines that share a store; `undefined` where the store is the home's own. @throws HostError `store_*` */
export async function joinCluster(
  settings: Pick<AppSettings, "store" | "cluster" | "config" | "env">,
  store: Pick<HomeStore, "records" | "hostId" | "record">,
  { pid, cwd, resident, host }: ClusterChoice,
): Promise<Cluster | undefined> {
  const {
    store: { url },
    cluster,
  } = settings;
  if (url === undefined) return undefined;
  const { records, hostId } = store;
  const here = machineOf(pid);
  const { advertise, adoptWorkspaces } = cluster;
  const hosts = new ClusterHosts({
    records,
    hostId,
    machine: here,
    clock: systemClock,
    ...defined({ advertise }),
  });
  if (resident) await hosts.join();
  const peers = resident ? await linksOf(cluster, { store, hosts, host }) : undefined;
  return {
    hosts,
    ...defined({ peers }),
    machines: clusterMachines({
      here,
      hosts,
      adopts: () => adoptWorkspaces,
      folder: sessionFolder(settings, cwd),
      // A server is started anywhere; who starts another program in a folder means that one.
      isFolderChosen: !resident || chosenFolder(settings, cwd) !== undefined,
      sharedStorage,
    }),
    [Symbol.asyncDispose]: async () => {
      await peers?.[Symbol.asyncDispose]();
      if (resident) await hosts[Symbol.asyncDispose]();
    },
  };
}

/** Opens the way for other hosts at the address that they are told. */
async function linksOf(
  { advertise, listen, secret }: AppSettings["cluster"],
  { store, hosts, host }: LinkedHost,
): Promise<PeerLinks | undefined> {
  if (listen === undefined || secret === undefined) return undefined;
  const links = new PeerLinks({
    hostId: store.hostId,
    secret,
    clock: systemClock,
    async session(id) {
      const opened = host();
      if (opened === undefined) throw new HostError("session_not_found", `Session ${id} is not here yet.`);
      return await opened.session(id);
    },
    record: (id) => store.record(id),
    hosts: () => hosts.all(),
    report: (error) => host()?.services.report(error),
  });
  try {
    await links.listen(listen.port, listen.host);
  } catch (thrown) {
    await links[Symbol.asyncDispose]();
    throw new HostError(
      "config_invalid",
      `Nobody can listen for other machines at ${listen.host ?? "port"} ${listen.port} (cluster.advertise is ${advertise}): ${messageOf(thrown)}. Free the port, or name another one in cluster.advertise or cluster.listen.`,
      { cause: thrown },
    );
  }
  return links;
}

interface LinkedHost extends Pick<ClusterChoice, "host"> {
  readonly store: Pick<HomeStore, "hostId" | "record">;
  readonly hosts: ClusterHosts;
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
