import { open, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { randomHex } from "../../../shared/crypto/random-hex.ts";
import { BoundedOutput, type OutputLimits } from "./bounded-output.ts";

/** Options of an output that goes to disk when it is long. */
export interface SpoolOptions {
  readonly limits: OutputLimits;
  /** Bytes that go to the disk at most. */
  readonly cap: number;
  readonly tempDir: string;
}

/**
 * Output whose ends are in memory and whose whole, up to a cap, is in a temporary file without a name: it is gone with
 * the process, whatever ends that. Short output never touches the disk.
 */
export class SpooledOutput implements AsyncDisposable {
  readonly ends: BoundedOutput;
  readonly #options: SpoolOptions;
  #file: FileHandle | undefined;
  #spooled = 0;
  #over = false;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.ends = new BoundedOutput(options.limits);
  }

  /** Resolves when the chunk is kept; who waits for it never has more than one chunk in memory. */
  async write(chunk: Uint8Array): Promise<void> {
    const { limits } = this.#options;
    if (
      this.#file === undefined &&
      !this.#over &&
      this.ends.total + chunk.length > limits.head + limits.tail
    ) {
      const { head, tail } = this.ends.ends();
      await this.#spool(Buffer.concat([head, tail]));
    }
    this.ends.append(chunk);
    if (this.#file !== undefined) await this.#spool(chunk);
  }

  /** What the file holds: the whole output, or its beginning when `complete` is false. `undefined`: it was short. */
  async spooled(): Promise<{ readonly bytes: Uint8Array; readonly complete: boolean } | undefined> {
    if (this.#file === undefined) return undefined;
    const bytes = Buffer.allocUnsafeSlow(this.#spooled);
    const { bytesRead } = await this.#file.read(bytes, 0, this.#spooled, 0);
    return { bytes: bytes.subarray(0, bytesRead), complete: bytesRead === this.ends.total };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#over = true;
    await file?.close();
  }

  async #spool(chunk: Uint8Array): Promise<void> {
    if (this.#over) return;
    const room = this.#options.cap - this.#spooled;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    try {
      this.#file ??= await this.#open();
      await this.#file.write(part, 0, part.length, this.#spooled);
      this.#spooled += part.length;
      this.#over = part.length < chunk.length;
    } catch {
      // A full disk must not end the command; its ends are still in memory.
      this.#over = true;
    }
  }

  async #open(): Promise<FileHandle> {
    const path = join(this.#options.tempDir, `agent-output-${randomHex(16)}`);
    const file = await open(path, "wx+", 0o600);
    await unlink(path);
    return file;
  }
}
