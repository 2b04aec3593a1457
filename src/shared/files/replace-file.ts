import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, writeSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { randomHex } from "../crypto/random-hex.ts";

/** Writes a file so that readers see the old or the new content, whole, whatever happens in between. */
export function replaceFile(path: string, content: string | Uint8Array, mode: number): void {
  const target = realPath(path);
  const draft = draftOf(target);
  try {
    writeDraft(draft, typeof content === "string" ? Buffer.from(content) : content, mode);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Does the same while the event loop goes on: a disk may take long. */
export async function replaceFileLater(path: string, content: Uint8Array, mode: number): Promise<void> {
  const target = realPath(path);
  const draft = draftOf(target);
  try {
    await using file = await open(draft, "w", mode);
    await file.writeFile(content);
    await file.sync();
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

const draftOf = (target: string): string => `${target}.${randomHex(4)}.new`;

function writeDraft(draft: string, bytes: Uint8Array, mode: number): void {
  const file = openSync(draft, "w", mode);
  try {
    writeAll(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
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

/** One call may write less than all, on a disk that is nearly full. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength;) at += writeSync(file, bytes, at);
}
