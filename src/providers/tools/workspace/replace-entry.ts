import { constants, type BigIntStats } from "node:fs";
import { access as checkAccess, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { randomHex } from "../../../shared/crypto/random-hex.ts";
import { type HostError, toolFailed } from "../../../shared/errors/host-error.ts";
import type { DirectoryAccess, HeldDirectory, EntryHandle } from "./directory-access.ts";

/** A new file's permissions before the umask of the process. */
const NEW_FILE = 0o644;
const PERMISSIONS = 0o7777n;

/** A file's new content, and the state that is expected before. */
export interface Replacement {
  readonly bytes: Uint8Array;
  /** What the caller believes is there; anything else is left alone. `null`: nothing. Absent: whatever it is. */
  readonly expect?: FileMark | null;
  /** The path for errors, as it stood in the call. */
  readonly written: string;
}

/**
 * Puts a file in the place of an entry of a held directory: written beside it, synced, renamed. The file is at every
 * moment the old or the new one, other hard links to the old one keep their content, and its permissions stay.
 */
export async function replaceEntry<Found extends EntryHandle>(
  access: DirectoryAccess<Found>,
  { directory, name }: { readonly directory: HeldDirectory; readonly name: string },
  replacement: Replacement,
): Promise<FileMark> {
  const beside = `${directory.reference}/.${randomHex(9)}.tmp`;
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const handle = await open(beside, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, NEW_FILE);
  let renamed = false;
  try {
    // Before the first byte: where links could lead a path astray, the new file is still empty.
    await directory.confirm();
    const before = await access.look(directory, name);
    try {
      await mayReplace(before, `${directory.reference}/${name}`, replacement);
      if (before !== undefined) await keepPermissions(handle, before);
    } finally {
      await before?.close();
    }
    await handle.writeFile(replacement.bytes);
    await handle.sync();
    await directory.confirm();
    await rename(beside, `${directory.reference}/${name}`);
    renamed = true;
    await syncDirectory(directory);
    return markOf(await handle.stat({ bigint: true }));
  } finally {
    await handle.close();
    if (!renamed) await unlink(beside);
  }
}

/** Without this the rename may be forgotten when the power fails. */
async function syncDirectory({ reference }: HeldDirectory): Promise<void> {
  const handle = await open(reference, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function mayReplace(
  before: EntryHandle | undefined,
  path: string,
  replacement: Replacement,
): Promise<void> {
  const { expect, written } = replacement;
  const mark = before === undefined ? null : markOf(before.stat);
  if (expect !== undefined && expect !== mark) {
    throw toolFailed(`${written} was changed by somebody else meanwhile; read it again`);
  }
  if (before === undefined) return;
  if (before.kind !== "file") throw notAFile(written, before.kind);
  // A rename would get around the file's own write protection.
  await checkAccess(path, constants.W_OK);
}

async function keepPermissions(handle: FileHandle, { stat }: EntryHandle): Promise<void> {
  const created = await handle.stat({ bigint: true });
  if (created.uid !== stat.uid || created.gid !== stat.gid) {
    // Only a privileged process may give files away; to any other the file stays writable as its own.
    await handle.chown(Number(stat.uid), Number(stat.gid)).catch(() => undefined);
  }
  await handle.chmod(Number(stat.mode & PERMISSIONS));
}

export function notAFile(written: string, kind: EntryHandle["kind"]): HostError {
  if (kind === "directory") return toolFailed(`${written} is a directory, not a file`);
  return toolFailed(`${written} is not an ordinary file (a device, pipe or socket)`);
}

/** Changes whenever the content of a file may have changed. */
export type FileMark = string;

export function markOf({ ino, size, mtimeNs }: BigIntStats): FileMark {
  return `${ino}:${size}:${mtimeNs}`;
}
