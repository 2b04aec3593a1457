import type { BigIntStats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
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
  let folders: Promise<ReadonlySet<string>> | undefined;
  let files: Promise<ReadonlySet<string>> | undefined;
  const isOne = async (found: BigIntStats): Promise<boolean> => {
    folders ??= identities(paths);
    if ((await folders).has(identity(found))) return true;
    // Another name of a file is a name like the first.
    if (!found.isFile() || found.nlink < 2n) return false;
    files ??= filesOf(paths).then(identities);
    return (await files).has(identity(found));
  };
  return {
    async check({ path, stat: found }, written) {
      if (paths.length === 0) return;
      if (paths.some((folder) => isUnder(path, folder)) || (found !== undefined && (await isOne(found))))
        throw new HostError(
          "outside_workspace",
          `${written} belongs to the agent itself, and is part of no workspace`,
        );
    },
  };
}

/** The files of the folders: settings and keys lie at the top. */
async function filesOf(paths: readonly string[]): Promise<readonly string[]> {
  const found = paths.map(async (path) => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => join(path, name));
  });
  return (await Promise.all(found)).flat();
}

async function identities(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = paths.map((path) => stat(path, { bigint: true }).catch(() => undefined));
  return new Set((await Promise.all(found)).filter((each) => each !== undefined).map(identity));
}

const identity = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
