import { hash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** The compiled code of chunks, by their names. A name holds a digest of its chunk: another chunk has another name. */
export type CompiledCode = ReadonlyMap<string, Buffer>;

/** Bytes of the digest at the beginning of the file, and of the length of the list behind it. */
const DIGEST = 32;
const HEAD = DIGEST + 4;

/**
 * A file with compiled code, in a folder that only this user can write to: what stands in it is run.
 *
 * Without such a folder, or when anything about the file is wrong, there is no code, and the program compiles its own.
 */
export class CodeCache {
  readonly #folder: string;
  readonly #file: string;
  readonly #user: number;

  constructor(folder: string, name: string, user: number) {
    this.#folder = folder;
    this.#file = join(folder, name);
    this.#user = user;
  }

  read(): CompiledCode {
    try {
      return isOwn(this.#folder, this.#user) ? decode(readFileSync(this.#file)) : new Map();
    } catch {
      return new Map();
    }
  }

  /** Replaces the file as a whole. A disk that takes no file keeps nobody from anything. */
  write(code: CompiledCode, pid: number): void {
    const beside = `${this.#file}.${pid}`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      if (!isOwn(this.#folder, this.#user)) return;
      const file = openSync(beside, "wx", 0o600);
      try {
        writeSync(file, encode(code));
        // After a loss of power the file would have its name, and not all of its bytes.
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(beside, this.#file);
    } catch {
      remove(beside);
    }
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was never there.
  }
}

function isOwn(folder: string, user: number): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === user && (found.mode & 0o077) === 0;
}

/** The digest of all behind it, the length of the list, the list of names and lengths, then the code. */
function encode(code: CompiledCode): Buffer {
  const list = Buffer.from(JSON.stringify(Array.from(code, ([name, { length }]) => [name, length])));
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(list.length, DIGEST);
  const whole = Buffer.concat([head, list, ...code.values()]);
  digestOf(whole).copy(whole);
  return whole;
}

/** @throws Error when a byte is another one than was written: V8 would end the process */
function decode(whole: Buffer): CompiledCode {
  if (!digestOf(whole).equals(whole.subarray(0, DIGEST))) throw new Error("The compiled code is damaged.");
  let at = HEAD + whole.readUInt32LE(DIGEST);
  // It is as `encode` wrote it.
  const list = JSON.parse(whole.toString("utf8", HEAD, at)) as readonly (readonly [string, number])[];
  return new Map(
    list.map(([name, length]) => {
      at += length;
      return [name, whole.subarray(at - length, at)];
    }),
  );
}

const digestOf = (whole: Buffer): Buffer => hash("sha256", whole.subarray(DIGEST), "buffer");
