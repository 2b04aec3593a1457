import { statfs } from "node:fs/promises";
import type { Vitals } from "../http/index.ts";
import { packageVersion } from "./version.ts";

/** What this process knows of itself. */
export function processVitals(home: string): Vitals {
  return {
    version: packageVersion(),
    pid: process.pid,
    startedAt: Math.round(performance.timeOrigin),
    memory: () => process.memoryUsage(),
    cpu: () => process.cpuUsage(),
    async disk() {
      try {
        const { bavail, blocks, bsize } = await statfs(home);
        return { free: bavail * bsize, total: blocks * bsize };
      } catch {
        // Some file systems do not tell.
        return undefined;
      }
    },
  };
}
