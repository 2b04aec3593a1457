import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { HostError, toolFailed } from "../../../shared/errors/host-error.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "the system does not permit it",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "the disk is full; free some space and try again",
  EDQUOT: "the disk quota is used up; free some space and try again",
  EROFS: "the file system is read-only",
  EMFILE: "too many files are open; try again",
  ENFILE: "too many files are open; try again",
  EIO: "the disk reported an error",
  ESTALE: "the file is gone from its server",
};

/** An error of the file system in words for whoever asked. @param path - as it was written in the call */
export function fileError(thrown: unknown, path: string): HostError {
  if (thrown instanceof HostError) return thrown;
  const code = systemErrorCode(thrown);
  if (code === "ENOENT") return notFound(path);
  const reason = (code === undefined ? undefined : REASONS[code]) ?? code ?? String(thrown);
  return toolFailed(`Cannot use ${path}: ${reason}`, thrown);
}

/** @param detail - what exactly is missing */
export function notFound(path: string, detail?: string): HostError {
  const notes = [detail, path.startsWith("~") ? "`~` is not expanded; give the whole path" : undefined];
  const note = notes.filter((text) => text !== undefined).join("; ");
  return new HostError("not_found", `File not found: ${path}${note === "" ? "" : ` (${note})`}`);
}
