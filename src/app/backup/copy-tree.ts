import { copyFile, link, lstat, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { systemErrorCode } from "../../shared/errors/system-error.ts";

/** The options of a copy of a folder. */
interface CopyOptions {
  /** Whether a name at the top is copied; all are by default. */
  readonly takes?: (name: string) => boolean;
  /** The files never change: where both names can stand for one file, they do, and one that is there already stays. */
  readonly shares?: boolean;
}

/** Copies a folder into another one, file by file, each whole or not at all; gives the bytes that were written. */
export async function copyTree(from: string, to: string, options: CopyOptions = {}): Promise<number> {
  const { takes = () => true, shares = false } = options;
  let bytes = 0;
  for (const { name } of await readdir(from, { withFileTypes: true })) {
    if (takes(name)) bytes += await copyEntry(join(from, name), join(to, name), shares);
  }
  return bytes;
}

async function copyEntry(from: string, to: string, shares: boolean): Promise<number> {
  const found = await lstat(from).catch(notFound);
  if (found?.isDirectory() === true) {
    makeFolder(to);
    return await copyTree(from, to, { shares });
  }
  if (found?.isSymbolicLink() === true)
    return await replaceBy(to, async (draft) => symlink(await readlink(from), draft));
  // Sockets and the like are for those who made them.
  if (found?.isFile() !== true) return 0;
  if (shares && (await isShared(from, to))) return 0;
  return await replaceBy(to, (draft) => copyFile(from, draft)).then(() => found.size);
}

/** Gives a file a second name, where the file system can. */
async function isShared(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (thrown) {
    return systemErrorCode(thrown) === "EEXIST";
  }
}

async function replaceBy(to: string, make: (draft: string) => Promise<void>): Promise<number> {
  const draft = `${to}.copying`;
  await rm(draft, { force: true });
  await make(draft);
  await rename(draft, to);
  return 0;
}

/** Files come and go while one copies. */
function notFound(thrown: unknown): undefined {
  if (systemErrorCode(thrown) !== "ENOENT") throw thrown;
}
