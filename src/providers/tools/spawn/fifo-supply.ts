import { closeSync, constants, open as openDescriptor } from "node:fs";
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { randomHex } from "../../../shared/crypto/random-hex.ts";

/** A named pipe that nobody has opened yet. */
export interface Fifo {
  /** It can be opened here, as often as it is needed, until it is let go. */
  readonly path: string;
  release(): Promise<void>;
}

/** Options of a supply. */
export interface FifoOptions {
  /** Where a pipe has a name for a moment. */
  readonly tempDir: string;
  readonly platform: string;
  /** Runs a program without input and output; says whether it succeeded. */
  readonly run: (file: string, args: readonly string[]) => Promise<boolean>;
}

/** Pipes that one run of `mkfifo` makes. */
const BATCH = 8;

const open = promisify(openDescriptor);

/**
 * A supply of named pipes. Starting the program that makes them costs as much as starting a command, so on Linux it
 * makes several; the others are held open without a name, and nothing of them stays when this process dies.
 */
export class FifoSupply {
  readonly #options: FifoOptions;
  readonly #spare: Fifo[] = [];
  #isClosed = false;

  constructor(options: FifoOptions) {
    this.#options = options;
  }

  /** Gives a pipe; `undefined` where none can be made. */
  async take(): Promise<Fifo | undefined> {
    const spare = this.#spare.pop();
    if (spare !== undefined) return spare;
    const isLinux = this.#options.platform === "linux";
    const [first, ...others] = (await this.#make(isLinux ? BATCH : 1)) ?? [];
    this.#spare.push(...others);
    if (this.#isClosed) await this.close();
    return first;
  }

  /** Lets go of the pipes that nobody took. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#spare.splice(0).map((fifo) => fifo.release()));
  }

  async #make(count: number): Promise<readonly Fifo[] | undefined> {
    const { tempDir, run } = this.#options;
    const paths = Array.from({ length: count }, () => join(tempDir, `agent-pipe-${randomHex(16)}`));
    if (!(await run("mkfifo", ["-m", "600", ...paths]))) {
      await Promise.all(paths.map((path) => unlink(path).catch(() => undefined)));
      return undefined; // Not every system has the program, nor every file system pipes.
    }
    if (count === 1) return paths.map((path) => ({ path, release: () => unlink(path) }));
    return await Promise.all(paths.map((path) => nameless(path)));
  }
}

/** Takes the name from a pipe and keeps it open. */
async function nameless(path: string): Promise<Fifo> {
  try {
    // Opened for both, it waits for nobody.
    const held = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
    // To close a pipe takes less than the way to another thread.
    return { path: `/proc/self/fd/${held}`, release: () => Promise.resolve(closeSync(held)) };
  } finally {
    await unlink(path);
  }
}
