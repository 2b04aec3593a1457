import { HostError } from "../../shared/errors/host-error.ts";
import { formatBytes } from "../../shared/text/format.ts";
import { diskOf } from "../process/process-stats.ts";
import { diskUsage } from "../system/disk-usage.ts";

/** Bytes that stay free beside a backup. */
const MARGIN = 64 * 1024 * 1024;

/** Makes sure that a backup does not fill the disk. @throws HostError `store_full` */
export async function checkSpace(home: string): Promise<void> {
  const parts = await diskUsage(home);
  const needed = (parts.get("database") ?? 0) + (parts.get("other") ?? 0) + MARGIN;
  const disk = await diskOf(home);
  if (disk === undefined || disk.free >= needed) return;
  throw new HostError(
    "store_full",
    `A backup needs ${formatBytes(needed)}, and the disk of ${home} has ${formatBytes(disk.free)} free. Remove older backups (\`agent backup remove\`), or free some space there.`,
  );
}
