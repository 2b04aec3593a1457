import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemErrorCode } from "../errors/system-error.ts";

/**
 * Makes a folder and the missing ones above it, readable by this user only. Their names are on the disk when it returns.
 * It goes step by step: Node's own recursive way never ends on file systems that answer "no such file" for a name that
 * cannot be made, as `/proc` and automounts do.
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
  // Without its folder's name on the disk, a synced file is lost all the same.
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
