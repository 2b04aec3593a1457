import type { HomeMachine, Machines } from "../../core/index.ts";
import type { ClusterHosts } from "./cluster-hosts.ts";

/** The machines of a cluster, as its sessions need them. */
export interface ClusterMachinesParts {
  readonly here: HomeMachine;
  readonly hosts: ClusterHosts;
  readonly adopts: () => boolean;
  /** The folder in which sessions begin here whose client names none. */
  readonly folder: string;
  /** Somebody chose it. */
  readonly isFolderChosen: boolean;
  /** The name of the network file system that holds a path; `undefined` for this machine's own disk. */
  readonly sharedStorage: (path: string) => string | undefined;
}

/** Sessions with a folder on this machine's own disk, which somebody chose, belong to it. */
export function clusterMachines(parts: ClusterMachinesParts): Machines {
  const { here, hosts, adopts, folder, isFolderChosen, sharedStorage } = parts;
  return {
    here,
    folder,
    isChosen: (cwd) => isFolderChosen || cwd !== folder,
    keepsFiles: (cwd) => cwd !== "" && sharedStorage(cwd) === undefined,
    isThere: (machine) => hosts.isThere(machine),
    adopts,
  };
}
