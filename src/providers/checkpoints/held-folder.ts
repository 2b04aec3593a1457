import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import { type BytePath, nameOf, parentOf, systemPath } from "./file-state.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_CREAT, O_EXCL, O_WRONLY } = constants;

/** A folder that somebody else moved or replaced by a link while it was in use. */
export class MovedFolderError extends Error {
  override readonly name = "MovedFolderError";
}

/**
 * The folder that holds an entry, held while the entry is changed: whatever happens to names meanwhile, nothing outside the
 * root is reached. Names are bytes: a name that is no UTF-8 is as good as any, which the tools' own resolver cannot say.
 */
export class HeldFolder implements Disposable {
  readonly #fd: number | undefined;
  /** A path through which the system reaches exactly this folder. */
  readonly #reference: BytePath;
  readonly #name: string;

  /**
   * @param byHandle - the system reaches a folder by its handle (Linux)
   * @throws the system's error, `ENOENT` when a folder on the way is missing, `ELOOP` or `ENOTDIR` when it is none
   */
  constructor(root: BytePath, path: BytePath, byHandle: boolean) {
    const parent = parentOf(path);
    this.#name = nameOf(path);
    if (byHandle) {
      this.#fd = openFolder(root, parent);
      this.#reference = `/proc/self/fd/${this.#fd}`;
    } else {
      this.#reference = parent === "" ? root : `${root}/${parent}`;
      const real = realpathSync.native(systemPath(this.#reference), { encoding: "buffer" });
      if (real.toString("latin1") !== this.#reference) throw new MovedFolderError("its folder is a link now");
    }
  }

  stat(): Stats | undefined {
    return lstatSync(this.#path(this.#name), { throwIfNoEntry: false });
  }

  /** Puts a file in the entry's place, at once. */
  write(bytes: Uint8Array, mode: number): void {
    this.#replace((beside) => {
      const fd = openSync(beside, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
        fchmodSync(fd, mode);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    });
  }

  link(target: BytePath): void {
    this.#replace((beside) => symlinkSync(systemPath(target), beside));
  }

  makeFolder(mode: number): void {
    mkdirSync(this.#path(this.#name), 0o700);
    this.chmodFolder(mode);
  }

  chmodFolder(mode: number): void {
    const fd = openSync(this.#path(this.#name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      fchmodSync(fd, mode);
    } finally {
      closeSync(fd);
    }
  }

  remove(): void {
    unlinkSync(this.#path(this.#name));
  }

  removeFolder(): void {
    rmdirSync(this.#path(this.#name));
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  #replace(make: (beside: string | Buffer) => void): void {
    const beside = this.#path(`.${randomHex(9)}.tmp`);
    let done = false;
    try {
      make(beside);
      renameSync(beside, this.#path(this.#name));
      done = true;
    } finally {
      if (!done) removeQuietly(beside);
    }
  }

  #path(name: string): string | Buffer {
    return systemPath(`${this.#reference}/${name}`);
  }
}

function removeQuietly(path: string | Buffer): void {
  try {
    unlinkSync(path);
  } catch {
    // It was not made.
  }
}

/** Goes down from the root by handles, so that no link is followed on the way. */
function openFolder(root: BytePath, path: BytePath): number {
  let fd = openSync(systemPath(root), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  for (const name of path.split("/").filter((part) => part !== "")) {
    const above = fd;
    try {
      fd = openSync(systemPath(`/proc/self/fd/${above}/${name}`), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    } finally {
      closeSync(above);
    }
  }
  return fd;
}
