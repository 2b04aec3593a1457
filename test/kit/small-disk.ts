import { execFile } from "node:child_process";
import { writeFileSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A disk of its own, small enough to be filled. */
export interface SmallDisk extends AsyncDisposable {
  readonly folder: string;
  /** Takes all the space that is left. */
  fill(): void;
  /** Gives that space back. */
  clear(): void;
  makeReadOnly(): Promise<void>;
}

/** Mounts a disk, or says why it cannot. */
export async function smallDisk(bytes: number): Promise<SmallDisk | string> {
  const folder = await mkdtemp(join(tmpdir(), "agent-small-disk-"));
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
  } catch (thrown) {
    await rm(folder, { recursive: true });
    return `mounting a small disk needs root on Linux: ${thrown instanceof Error ? thrown.message.trim() : ""}`;
  }
  const filler = join(folder, "filler");
  return {
    folder,
    fill() {
      for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 2)) {
        while (tryToWrite(filler, size));
      }
    },
    clear: () => rmSync(filler, { force: true }),
    makeReadOnly: async () => void (await run("mount", ["-o", "remount,ro", folder])),
    async [Symbol.asyncDispose]() {
      await run("umount", ["-l", folder]);
      await rm(folder, { recursive: true });
    },
  };
}

function tryToWrite(file: string, size: number): boolean {
  try {
    writeFileSync(file, Buffer.alloc(size, 1), { flag: "a" });
    return true;
  } catch {
    // Full, which is the point.
    return false;
  }
}
