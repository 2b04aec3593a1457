import { statfs } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ProcessStats } from "../../http/index.ts";
import { packageVersion } from "./version.ts";

/** Measures this process: memory, processor time, delays of the event loop, the disk of the home. */
export function processStats(home: string): ProcessStats {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  return {
    version: packageVersion(),
    pid: process.pid,
    startedAt: Math.round(performance.timeOrigin),
    memory: () => process.memoryUsage(),
    cpu: () => process.cpuUsage(),
    loopDelay() {
      const figures = {
        p50: delay.percentile(50) / 1e9,
        p99: delay.percentile(99) / 1e9,
        max: delay.max / 1e9,
      };
      delay.reset();
      return figures;
    },
    disk: () => diskOf(home),
  };
}

/** The bytes of the disk that holds a folder; `undefined` if the file system does not tell. */
export async function diskOf(folder: string): ReturnType<ProcessStats["disk"]> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return undefined;
  }
}
