import { type BigIntStats, statSync } from "node:fs";

const QUIET = { bigint: true, throwIfNoEntry: false } as const;

/**
 * Tells whether walls would be put up the same way again: their arguments, and what stands at each path that they name. Another
 * file under the name of a covered one would stand uncovered, and another folder would not be the one that is shown.
 */
export function wallStamp(args: readonly string[]): string {
  const paths = new Set(args.filter((arg) => arg.startsWith("/")));
  return JSON.stringify([args, [...paths].map(identityOf)]);
}

function identityOf(path: string): string {
  try {
    const stat = statSync(path, QUIET);
    return stat === undefined ? "" : identity(stat);
  } catch {
    return "";
  }
}

/** A number is given again to what comes later; a file that was renamed or linked meanwhile may have lost its cover. */
const identity = (stat: BigIntStats): string =>
  `${stat.dev}:${stat.ino}:${stat.isFile() ? stat.ctimeNs : stat.birthtimeNs}`;
