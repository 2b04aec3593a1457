import { closeSync, constants, fstatSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fill } from "../../shared/files/fill.ts";
import { replaceFile, replaceFileLater } from "../../shared/files/replace-file.ts";

/** Where the code of a script lies in a pack, in bytes. */
type Place = readonly [start: number, length: number];

/** Gives bytes to read into. */
type Take = (length: number) => Buffer;

const takeNew: Take = (length) => Buffer.allocUnsafeSlow(length);

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

  /** The code of a script, for V8. @param take - gives the bytes that it is read into */
  codeOf(name: string, take = takeNew): Buffer | undefined {
    const place = this.#index.places[name];
    return place && this.#descriptor !== undefined ? readAt(this.#descriptor, place, take) : undefined;
  }

  /** From now on it gives nothing. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** What a pack is made of. */
interface PackContent {
  /** How often it was written, with this time. */
  readonly saves: number;
  /** The code of each script, by its name. */
  readonly codes: ReadonlyMap<string, Buffer>;
}

/**
 * Puts a pack in the place of the one that is there. V8 believes what it is given, so it is on the disk before it has its name.
 *
 * @throws when nothing can be written there
 */
export function replaceCodePack(file: string, content: PackContent): void {
  makeRoom(file);
  replaceFile(file, packed(content), 0o600);
}

/** Does the same while the event loop goes on. */
export async function replaceCodePackLater(file: string, content: PackContent): Promise<void> {
  makeRoom(file);
  await replaceFileLater(file, packed(content), 0o600);
}

function packed({ saves, codes }: PackContent): Buffer {
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

/** Makes the folder, and removes what processes have left there that were killed while they wrote. */
function makeRoom(file: string): void {
  const [folder, start] = [dirname(file), `${basename(file)}.`];
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A link there would lead to a file that is written over.
  if (statSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`);
  for (const name of readdirSync(folder).filter((each) => each.startsWith(start))) {
    const { mtimeMs = Infinity } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < Date.now() - PARTIAL_MS) rmSync(join(folder, name), { force: true });
  }
}

/** Opens a file that this user has written: what stands in it is run. Nothing else that may lie there is waited for. */
function openOwn(file: string): number | undefined {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (stats.isFile() && stats.uid === process.getuid?.()) return descriptor;
    closeSync(descriptor);
  } catch {
    // It is not there, or cannot be opened.
  }
  return undefined;
}

function readIndex(descriptor: number): PackIndex | undefined {
  const lengthStart = fstatSync(descriptor).size - LENGTH_BYTES;
  const length = readAt(descriptor, [lengthStart, LENGTH_BYTES])?.readUInt32LE() ?? Infinity;
  const start = lengthStart - length;
  const text = readAt(descriptor, [start, length])?.toString();
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

function readAt(descriptor: number, [start, length]: Place, take = takeNew): Buffer | undefined {
  if (start < 0) return undefined;
  try {
    const bytes = take(length);
    return fill(descriptor, bytes, start) === length ? bytes : undefined;
  } catch {
    // A disk that cannot be read, or a place that cannot be one.
    return undefined;
  }
}
