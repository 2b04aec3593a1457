import { statSync } from "node:fs";

/** Another one whenever what a path leads to may have changed; empty when it leads nowhere. */
export type Stamp = string;

/**
 * The stamp of what a path leads to, links followed. A path that cannot be looked at is as good as absent: who needs it
 * says so when it is read.
 */
export function stampOf(path: string): Stamp {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "" : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`;
  } catch {
    return "";
  }
}
