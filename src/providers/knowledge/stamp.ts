import { type BigIntStats, statSync } from "node:fs";

/** Another one whenever what a path leads to may have changed; empty when it leads nowhere. */
export type Stamp = string;

/** The stamp of what a path leads to, links followed. */
export function stampOf(path: string): Stamp {
  const found = look(path);
  return found === undefined ? "" : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`;
}

/** A path that cannot be looked at is as good as absent: who needs it says so when it is read. */
function look(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
