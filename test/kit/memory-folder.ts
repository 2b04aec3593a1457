import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const MEMORY = "/dev/shm";
/** The type of a file system that lies in memory. */
const TMPFS = 0x01021994;
/** Bytes that have to be free there: containers often have but a few. */
const ROOM = 2 * 1024 ** 3;

/**
 * A folder for what no test needs on a disk. Servers of databases make and delete thousands of files, and for minutes a disk
 * that has a journal looks at each deleted one whenever a file is made.
 */
export function memoryFolder(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS && bavail * bsize >= ROOM ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
