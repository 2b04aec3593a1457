import { readdirSync, readlinkSync, realpathSync } from "node:fs";

/**
 * The processes of this machine that have a file open, but for `own`. Where the system does not tell, and of processes of
 * other users, it knows nothing.
 */
export function processesWith(file: string, own: number): readonly number[] {
  const path = realpathSync(file);
  return namesIn("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== own)
    .filter((pid) => namesIn(`/proc/${pid}/fd`).some((fd) => leadsTo(`/proc/${pid}/fd/${fd}`, path)))
    .map(Number);
}

function leadsTo(link: string, path: string): boolean {
  try {
    return readlinkSync(link) === path;
  } catch {
    // It was closed meanwhile.
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Another system, a process that has ended, or one of somebody else.
    return [];
  }
}
