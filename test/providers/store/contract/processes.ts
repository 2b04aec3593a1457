import type { ProcessIdentity } from "../../../../src/providers/store/index.ts";
import type { HostOptions } from "./home.ts";

/** Processes that only exist in a test: each host is given one, and it runs until it is killed. */
export interface Processes {
  start(options?: HostOptions): ProcessIdentity;
  kill(pid: number): void;
  isRunning(process: ProcessIdentity): boolean;
}

export function processes(): Processes {
  const running = new Set<number>();
  let last = 100;
  return {
    start({ remote = false, oldBoot = false } = {}) {
      last += 1;
      running.add(last);
      return {
        pid: last,
        startedAt: String(last),
        bootId: oldBoot ? "boot before" : remote ? "boot elsewhere" : "boot",
        pidNamespace: remote ? "pid:[2]" : "pid:[1]",
        machineId: remote ? "machine elsewhere" : "machine",
      };
    },
    kill: (pid) => void running.delete(pid),
    isRunning: ({ pid }) => running.has(pid),
  };
}
