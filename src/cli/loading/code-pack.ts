import {
  closeSync,
  fstatSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Where the code of a script lies in a pack, in bytes. */
type Place = readonly [start: number, length: number];

/** What stands behind the code: how often the pack was written, and where the code of each script lies. */
interface PackIndex {
  readonly saves: number;
  readonly places: Readonly<Record<string, Place>>;
}

/** The bytes at the end that say how long the index before them is. */
const LENGTH_BYTES = 4;
/** Milliseconds that nobody takes to write a pack. */
const PARTIAL_MS = 60_000;

/**
 * A file with what V8 has compiled of many scripts. It is read piece by piece and stays open meanwhile, so that another one
 * may take its place.
 */
export class CodePack {
  #descriptor: number | undefined;
  readonly #index: PackIndex;

  /** Opens a pack; one that is not there, damaged, or another user's holds nothing. */
  constructor(file: string) {
    this.#descriptor = openOwn(file);
    const index = this.#descriptor === undefined ? undefined : readIndex(this.#descriptor);
    this.#index = index ?? { saves: 0, places: {} };
  }

  get saves(): number {
    return this.#index.saves;
  }

  /** The scripts that it has code of. */
  get names(): readonly string[] {
    return Object.keys(this.#index.places);
  }

  /** The code of a script, for V8. */
  codeOf(name: string): Buffer | undefined {
    const place = this.#index.places[name];
    return place && this.#descriptor !== undefined ? readAt(this.#descriptor, ...place) : undefined;
  }

  /** From now on it gives nothing. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/**
 * A pack that is written beside the one that it will take the place of. V8 believes what it is given, so it is on the disk
 * before it has its name.
 */
export class PartialPack {
  readonly #file: string;
  readonly #partial: string;
  readonly #descriptor: number;

  /**
   * @param file - the pack
   * @param saves - how often it was written, with this time
   * @param codes - the code of each script, by its name
   * @throws when nothing can be written there
   */
  constructor(file: string, saves: number, codes: ReadonlyMap<string, Buffer>) {
    this.#file = file;
    this.#partial = `${file}.${process.pid}`;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    removePartials(file);
    this.#descriptor = openSync(this.#partial, "wx", 0o600);
    try {
      writeSync(this.#descriptor, packed(saves, codes));
    } catch (thrown) {
      this.#end(false);
      throw thrown;
    }
  }

  /** Waits for the disk, and puts it in its place. What fails leaves the pack that is there. */
  finish(): void {
    try {
      fsyncSync(this.#descriptor);
      this.#end(true);
    } catch {
      this.#end(false);
    }
  }

  /** Does the same while the process goes on. */
  finishLater(): void {
    fsync(this.#descriptor, (failure) => this.#end(failure === null));
  }

  #end(isWhole: boolean): void {
    try {
      closeSync(this.#descriptor);
      if (isWhole) renameSync(this.#partial, this.#file);
      else rmSync(this.#partial, { force: true });
    } catch {
      // Its folder was taken away meanwhile.
    }
  }
}

function packed(saves: number, codes: ReadonlyMap<string, Buffer>): Buffer {
  let end = 0;
  const places: Record<string, Place> = {};
  for (const [name, { length }] of codes) {
    places[name] = [end, length];
    end += length;
  }
  const index = Buffer.from(JSON.stringify({ saves, places } satisfies PackIndex));
  const indexLength = Buffer.alloc(LENGTH_BYTES);
  indexLength.writeUInt32LE(index.length);
  return Buffer.concat([...codes.values(), index, indexLength]);
}

/** Removes what processes have left that were killed while they wrote. */
function removePartials(file: string): void {
  const [folder, start] = [dirname(file), `${basename(file)}.`];
  for (const name of readdirSync(folder).filter((each) => each.startsWith(start))) {
    const { mtimeMs = Infinity } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < Date.now() - PARTIAL_MS) rmSync(join(folder, name), { force: true });
  }
}

/** Opens a file that this user has written: what stands in it is run. */
function openOwn(file: string): number | undefined {
  try {
    const descriptor = openSync(file, "r");
    if (fstatSync(descriptor).uid === process.getuid?.()) return descriptor;
    closeSync(descriptor);
  } catch {
    // It is not there, or cannot be read.
  }
  return undefined;
}

function readIndex(descriptor: number): PackIndex | undefined {
  const { size } = fstatSync(descriptor);
  const lengthStart = size - LENGTH_BYTES;
  const length = readAt(descriptor, lengthStart, LENGTH_BYTES)?.readUInt32LE() ?? Infinity;
  const start = lengthStart - length;
  const text = readAt(descriptor, start, length)?.toString();
  if (text === undefined || !text.startsWith('{"saves":')) return undefined;
  try {
    const index = JSON.parse(text) as PackIndex;
    // Code that was cut off ends before the index begins.
    const end = Object.values(index.places).reduce((sum, [, bytes]) => sum + bytes, 0);
    return end === start ? index : undefined;
  } catch {
    return undefined;
  }
}

function readAt(descriptor: number, start: number, length: number): Buffer | undefined {
  if (start < 0) return undefined;
  const bytes = Buffer.allocUnsafeSlow(length);
  return readSync(descriptor, bytes, 0, length, start) === length ? bytes : undefined;
}
