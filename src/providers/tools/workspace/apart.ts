import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { HostError } from "../../../shared/errors/host-error.ts";
import { isUnder } from "./roots.ts";

/** Folders that are part of no workspace, known by what they are: another name, or another case of it, changes nothing. */
export interface Apart {
  /** @throws HostError `outside_workspace` for a path that lies in one of them, or a folder that is one */
  check(
    found: { readonly path: string; readonly stat?: BigIntStats | undefined },
    written: string,
  ): Promise<void>;
}

/** @param paths - absolute real paths */
export function apartFolders(paths: readonly string[]): Apart {
  let known: Promise<ReadonlySet<string>> | undefined;
  return {
    async check({ path, stat: found }, written) {
      if (paths.length === 0) return;
      known ??= identities(paths);
      const isOne = found !== undefined && (await known).has(identity(found));
      if (isOne || paths.some((folder) => isUnder(path, folder)))
        throw new HostError(
          "outside_workspace",
          `${written} belongs to the agent itself, and is part of no workspace`,
        );
    },
  };
}

async function identities(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = paths.map((path) => stat(path, { bigint: true }).catch(() => undefined));
  return new Set((await Promise.all(found)).filter((each) => each !== undefined).map(identity));
}

const identity = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
