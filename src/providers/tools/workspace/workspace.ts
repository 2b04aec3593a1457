import type { BigIntStats } from "node:fs";
import { readdir, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HostError, toolFailed } from "../../../shared/errors/host-error.ts";
import { type Apart, apartFolders } from "./apart.ts";
import {
  byHandle,
  byPath,
  below,
  type DirectoryAccess,
  type EntryKind,
  type HeldDirectory,
  type EntryHandle,
  kindOf,
} from "./directory-access.ts";
import { fileError, notFound } from "./file-error.ts";
import { type FileMark, notAFile, replaceEntry } from "./replace-entry.ts";
import { absolutePath, type PathScope } from "./roots.ts";
import { walk, type Reached } from "./walk.ts";

/** An ordinary file, open for reading. */
export interface WorkspaceFile extends AsyncDisposable {
  /** Its real path. */
  readonly path: string;
  readonly handle: FileHandle;
  readonly stat: BigIntStats;
}

/** One entry of a folder. */
export interface WorkspaceEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** An open directory: what is reached through it lies in it, even when its name is given to something else. */
export interface WorkspaceDirectory extends AsyncDisposable {
  /** Its real path. */
  readonly path: string;
  /** A path that the system leads to exactly this directory while it is open. */
  readonly reference: string;
  /** Its entries in the order of their names' bytes. */
  entries(): Promise<readonly WorkspaceEntry[]>;
  /** Resolves `undefined` when the entry is no ordinary file. Links are not followed. */
  file(name: string): Promise<WorkspaceFile | undefined>;
  /** Resolves `undefined` when the entry is no directory. Links are not followed. */
  directory(name: string): Promise<WorkspaceDirectory | undefined>;
}

/**
 * The one way from a path in a tool call to the disk. Nothing outside the roots is read or written, whatever the path
 * says, wherever links lead, and whoever changes them meanwhile. Errors are `HostError`s that name the path as it was
 * written: `outside_workspace`, `not_found`, `tool_failed`.
 */
export interface Workspace {
  /** The absolute path that a call means, without a look at the disk. */
  locate(path: string): string;
  openFile(path: string): Promise<WorkspaceFile>;
  openDirectory(path: string): Promise<WorkspaceDirectory>;
  /** The real path, also of something that is not there yet. */
  realPath(path: string): Promise<string>;
  /**
   * Writes a whole file at once, with the directories that are missing.
   *
   * @param expect - what has to be there before; `null` is nothing
   */
  replaceFile(path: string, bytes: Uint8Array, expect?: FileMark | null): Promise<FileMark>;
}

/** @param platform - as Node names it */
export function openWorkspace(reach: PathScope, platform: string): Workspace {
  const access: DirectoryAccess = platform === "linux" ? byHandle : byPath;
  const apart = apartFolders(reach.apart ?? []);
  const arrive = (written: string, create = false): Promise<Reached<EntryHandle>> =>
    walk(access, reach, { absolute: absolutePath(written, reach), written, create, apart });
  return {
    locate: (path) => absolutePath(path, reach),
    openFile: (path) =>
      during(path, async () => {
        const reached = await arrive(path);
        try {
          return await openReached(access, reached, path);
        } finally {
          await reached.directory.close();
        }
      }),
    openDirectory: (path) =>
      during(path, async () =>
        directoryHandle(access, await enterReached(access, await arrive(path), path), apart),
      ),
    realPath: (path) => during(path, async () => await realPath(arrive, absolutePath(path, reach))),
    replaceFile: (path, bytes, expect) =>
      during(path, async () => {
        const reached = await arrive(path, true);
        try {
          if (reached.name === "") throw notAFile(path, "directory");
          const replacement = { bytes, written: path, ...(expect === undefined ? {} : { expect }) };
          return await replaceEntry(access, reached, replacement);
        } finally {
          await leave(reached);
        }
      }),
  };
}

async function during<T>(written: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(error, written);
  }
}

async function leave({ directory, look }: Reached<EntryHandle>): Promise<void> {
  await look?.close();
  await directory.close();
}

async function openReached(
  access: DirectoryAccess,
  { directory, name, look, path }: Reached<EntryHandle>,
  written: string,
): Promise<WorkspaceFile> {
  if (name === "") throw notAFile(written, "directory");
  if (look === undefined) throw notFound(written);
  try {
    if (look.kind !== "file") throw notAFile(written, look.kind);
    // These look like ordinary files and are none: they show other processes, and the host's own environment.
    if (path.startsWith("/proc/")) throw notAFile(written, "special");
    const handle = await access.openFile(directory, name, look);
    return { path, handle, stat: look.stat, [Symbol.asyncDispose]: () => handle.close() };
  } finally {
    await look.close();
  }
}

async function enterReached(
  access: DirectoryAccess,
  reached: Reached<EntryHandle>,
  written: string,
): Promise<HeldDirectory> {
  const { directory, name, look } = reached;
  if (name === "") return directory;
  if (look?.kind === "directory") {
    const entered = access.enter(directory, name, look);
    await directory.close();
    return entered;
  }
  await leave(reached);
  throw look === undefined
    ? new HostError("not_found", `Directory not found: ${written}`)
    : toolFailed(`${written} is not a directory`);
}

function directoryHandle(access: DirectoryAccess, held: HeldDirectory, apart: Apart): WorkspaceDirectory {
  const opened = async <T>(name: string, kind: EntryKind, open: (look: EntryHandle) => Promise<T>) => {
    const look = await access.look(held, name);
    if (look?.kind === kind && !(await isApart(name, look))) return await open(look);
    await look?.close();
    return undefined;
  };
  const isApart = (name: string, look: EntryHandle): Promise<boolean> =>
    apart.check({ path: below(held, name), stat: look.stat }, name).then(
      () => false,
      () => true,
    );
  return {
    path: held.path,
    reference: held.reference,
    async entries() {
      const found = await readdir(held.reference, { withFileTypes: true }).catch((cause: unknown) => {
        throw fileError(cause, held.path);
      });
      await held.confirm();
      return found
        .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
        .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
    },
    file: (name) =>
      opened(name, "file", (look) =>
        openReached(access, { directory: held, name, look, path: below(held, name) }, name),
      ),
    directory: (name) =>
      opened(name, "directory", (look) =>
        Promise.resolve(directoryHandle(access, access.enter(held, name, look), apart)),
      ),
    [Symbol.asyncDispose]: () => held.close(),
  };
}

/** Goes up to what exists, and adds the names that are missing. */
async function realPath(
  arrive: (path: string) => Promise<Reached<EntryHandle>>,
  absolute: string,
): Promise<string> {
  try {
    const reached = await arrive(absolute);
    await leave(reached);
    return reached.path;
  } catch (error) {
    const parent = dirname(absolute);
    if (!(error instanceof HostError) || error.code !== "not_found" || parent === absolute) throw error;
    return join(await realPath(arrive, parent), basename(absolute));
  }
}
