import { type BigIntStats, closeSync, constants, type Dirent, openSync, readlinkSync } from "node:fs";
import { lstat, open, realpath, stat, type FileHandle } from "node:fs/promises";
import { HostError } from "../../../shared/errors/host-error.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { isUnder } from "./roots.ts";

/** The kind of a folder's entry. */
export type EntryKind = "file" | "directory" | "symlink" | "special";

/** A directory that stays the same one, whatever happens to its name. */
export interface HeldDirectory {
  /** Its real path when it was opened. */
  readonly path: string;
  /** A path through which the system reaches exactly this directory. */
  readonly reference: string;
  /** The real path of the root that it is in. */
  readonly root: string;
  /** Throws when the directory is not where it was opened any more. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** An entry as it was found, without following it. */
export interface EntryHandle {
  readonly kind: EntryKind;
  readonly stat: BigIntStats;
  close(): Promise<void>;
}

/** A way to hold folders and open their entries. The system never follows a symbolic link for it. */
export interface DirectoryAccess<Found extends EntryHandle = EntryHandle> {
  root(path: string): Promise<HeldDirectory>;
  /** Resolves `undefined` when there is no such entry. The caller closes what it gets. */
  look(directory: HeldDirectory, name: string): Promise<Found | undefined>;
  /** Makes a held directory of a look at one; closing it closes the look. */
  enter(directory: HeldDirectory, name: string, look: Found): HeldDirectory;
  /** Opens an ordinary file for reading. */
  openFile(directory: HeldDirectory, name: string, look: Found): Promise<FileHandle>;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** Linux: a handle that names a file without opening it. Node has no constant for it. */
const O_PATH = 0o10_000_000;

interface LookByHandle extends EntryHandle {
  readonly handle: FileHandle;
}

const descriptor = ({ fd }: Pick<FileHandle, "fd">): string => `/proc/self/fd/${fd}`;

/** A descriptor that names a folder, and is closed once. */
class FolderDescriptor implements Pick<FileHandle, "fd" | "close"> {
  readonly fd: number;
  #isOpen = true;

  constructor(path: string) {
    this.fd = openSync(path, O_PATH | O_DIRECTORY);
  }

  async close(): Promise<void> {
    if (this.#isOpen) closeSync(this.fd);
    this.#isOpen = false;
  }
}

/** Linux: every step starts at the handle of the directory before it, so that a swapped name changes nothing. */
export const byHandle: DirectoryAccess<LookByHandle> = {
  async root(path) {
    // The system knows a workspace's folder, which is looked at all the time: to have another thread open it takes longer.
    const handle = new FolderDescriptor(path);
    const real = readlinkSync(descriptor(handle));
    return held(handle, { path: real, root: real });
  },
  async look(directory, name) {
    const handle = await orMissing(open(`${directory.reference}/${name}`, O_PATH | O_NOFOLLOW));
    if (handle === undefined) return undefined;
    const stat = await handle.stat({ bigint: true });
    return { kind: kindOf(stat), stat, handle, close: () => handle.close() };
  },
  enter: (directory, name, look) => held(look.handle, { path: below(directory, name), root: directory.root }),
  openFile: (_directory, _name, look) => open(descriptor(look.handle), O_RDONLY),
};

function held(
  handle: Pick<FileHandle, "fd" | "close">,
  where: { readonly path: string; readonly root: string },
): HeldDirectory {
  return {
    ...where,
    reference: descriptor(handle),
    // A handle cannot be led elsewhere.
    confirm: nothingToDo,
    close: () => handle.close(),
  };
}

/** Systems without handles of that kind: paths are real ones, and what they reached is checked after opening. */
export const byPath: DirectoryAccess = {
  async root(path) {
    const real = await realpath(path);
    return atPath({ path: real, root: real }, await stat(real, { bigint: true }));
  },
  async look(directory, name) {
    const found = await orMissing(lstat(below(directory, name), { bigint: true }));
    return found && { kind: kindOf(found), stat: found, close: nothingToDo };
  },
  enter: (directory, name, look) => atPath({ path: below(directory, name), root: directory.root }, look.stat),
  async openFile(directory, name) {
    const path = below(directory, name);
    const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const opened = await handle.stat({ bigint: true });
      await directory.confirm();
      if (!isSame(opened, await lstat(path, { bigint: true }))) throw swapped(path);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  },
};

const nothingToDo = (): Promise<void> => Promise.resolve();

function atPath(where: { readonly path: string; readonly root: string }, found: BigIntStats): HeldDirectory {
  const { path, root } = where;
  return {
    path,
    root,
    reference: path,
    async confirm() {
      // Compared as files, not as text: some systems spell one name in several ways.
      const real = await realpath(path);
      if (!isUnder(real, root) || !isSame(await stat(real, { bigint: true }), found)) throw swapped(path);
    },
    close: nothingToDo,
  };
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function swapped(path: string): HostError {
  return new HostError("outside_workspace", `${path} was replaced by something else while it was in use`);
}

export function below(directory: HeldDirectory, name: string): string {
  return directory.path === "/" ? `/${name}` : `${directory.path}/${name}`;
}

export function kindOf(found: BigIntStats | Dirent): EntryKind {
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "directory";
  return found.isSymbolicLink() ? "symlink" : "special";
}

async function orMissing<T>(opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
