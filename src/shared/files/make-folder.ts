import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemErrorCode } from "../errors/system-error.ts";

/**
 * Makes a folder, and those above it that are missing, for the eyes of this user only; their names are on the disk when
 * it returns. Step by step, because Node's own recursive way never ends where a file system says "no such file" of a
 * name that cannot be made, as `/proc` and automounts do.
 *
 * @throws the system's error, `EEXIST` when a file is in the way
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, 0o700);
  } catch (thrown) {
    // Another process was faster.
    if (systemErrorCode(thrown) === "EEXIST" && isFolder(folder)) return;
    throw thrown;
  }
  // A file that is safe on the disk is lost when its folder's name is.
  const above = openSync(parent, "r");
  try {
    fsyncSync(above);
  } finally {
    closeSync(above);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Absent or out of reach: making it says which.
    return false;
  }
}
