import { constants } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { sep } from "node:path";
import { HostError, toolFailed } from "../../shared/errors/host-error.ts";
import { systemErrorCode } from "../../shared/errors/system-error.ts";
import { formatBytes } from "../../shared/text/format.ts";

/** A file that was changed so shortly before it was looked at may change again without looking different. */
const SETTLED_AFTER_MS = 2000;

/** The facts by which a changed file is known without reading it. */
export interface FileLook {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

/** Tells whether a file has changed; `undefined` for one that has only just been written. */
export const fileStamp = ({ size, mtimeMs, ctimeMs, ino }: FileLook, now: number): string | undefined =>
  Math.abs(now - ctimeMs) < SETTLED_AFTER_MS ? undefined : `${size} ${mtimeMs} ${ctimeMs} ${ino}`;

/**
 * Reads a plain file that stands below a folder, also when somebody changes the folder meanwhile.
 *
 * @param root - the folder's real path
 * @throws HostError `tool_failed` with the reason, as the end of a sentence
 */
export async function readFileBelow(root: string, path: string, mostBytes: number): Promise<Buffer> {
  try {
    // Neither a link nor a pipe that nobody writes to is waited for.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using handle = await open(path, flags);
    const opened = await handle.stat();
    if (!opened.isFile()) throw toolFailed("it is no plain file");
    const real = await realpath(path);
    const named = await stat(real);
    const isBelow = real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
    if (!isBelow || named.ino !== opened.ino || named.dev !== opened.dev)
      throw toolFailed("it leads out of its folder");
    return await readUpTo(handle, opened.size, mostBytes);
  } catch (thrown) {
    if (thrown instanceof HostError) throw thrown;
    throw toolFailed(whyUnread(thrown), thrown);
  }
}

async function readUpTo(handle: FileHandle, size: number, mostBytes: number): Promise<Buffer> {
  if (size > mostBytes) throw fileTooLarge(size, mostBytes);
  const bytes = Buffer.alloc(size + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
  }
  throw toolFailed("it grew while it was read; it is read again next time");
}

export const fileTooLarge = (has: number, most: number) =>
  toolFailed(`it has ${formatBytes(has)}; at most ${formatBytes(most)} are read`);

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  ENOTDIR: "it is not there",
  EACCES: "this program may not read it",
  EPERM: "this program may not read it",
  ELOOP: "it is a link, and links are not followed",
};

/** Why a file could not be read, as the end of a sentence. */
export const whyUnread = (thrown: unknown): string => {
  const code = systemErrorCode(thrown) ?? "";
  return REASONS[code] ?? `it could not be read (${code || "for no known reason"})`;
};
