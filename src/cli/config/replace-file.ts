import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, writeSync } from "node:fs";

/** Writes a file so that readers see the old or the new content, whole, whatever happens in between. */
export function replaceFile(path: string, content: string, mode: number): void {
  const target = realPath(path);
  const draft = `${target}.${process.pid}.new`;
  const file = openSync(draft, "w", mode);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(draft, target);
}

/** A linked configuration stays a link: its target is replaced. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It does not exist yet.
    return path;
  }
}
