import { closeSync, constants, fstatSync, openSync, readlinkSync, type Stats } from "node:fs";
import { fill } from "../../shared/files/fill.ts";
import { systemErrorCode } from "../../shared/errors/system-error.ts";
import { type BytePath, systemPath } from "./file-state.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** A file as it was read. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly stat: Stats;
}

/** The reason why a file could not be read: it is gone or something else by now, it may not be read, or it does not stop changing. */
export type ReadFailure = "gone" | "unreadable" | "large";

const TRIES = 3;

/**
 * Reads an ordinary file below a root. A link on the way, which somebody may have put there just now, is not followed.
 *
 * @param root - the root's real path, as bytes
 */
export function readBelow(
  root: BytePath,
  path: BytePath,
  options: { readonly limit: number; readonly checksPlace: boolean },
): ReadFile | ReadFailure {
  const whole = `${root}/${path}`;
  let fd: number;
  try {
    fd = openSync(systemPath(whole), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (thrown) {
    return isGone(thrown) ? "gone" : "unreadable";
  }
  try {
    if (options.checksPlace && placeOf(fd) !== whole) return "gone";
    for (let tries = 1; ; tries += 1) {
      const before = fstatSync(fd);
      if (!before.isFile()) return "gone";
      if (before.size > options.limit) return "large";
      const bytes = readAll(fd, before.size);
      const stat = fstatSync(fd);
      const still =
        stat.mtimeMs === before.mtimeMs && stat.size === before.size && bytes.length === stat.size;
      if (still || tries >= TRIES) return { bytes, stat };
    }
  } catch {
    return "unreadable";
  } finally {
    closeSync(fd);
  }
}

function readAll(fd: number, size: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(size);
  return bytes.subarray(0, fill(fd, bytes, 0));
}

function placeOf(fd: number): BytePath {
  return readlinkSync(`/proc/self/fd/${fd}`, { encoding: "latin1" });
}

export function isGone(thrown: unknown): boolean {
  const code = systemErrorCode(thrown) ?? "";
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENXIO";
}
