import type { Stats } from "node:fs";

/** Numbers of one entry: times of content and of entry, size, inode, mode. */
export const SIGN_LENGTH = 5;

const BYTES = SIGN_LENGTH * Float64Array.BYTES_PER_ELEMENT;
const FIRST_SLOTS = 1024;

/** A time below this may belong to a change that comes after a look: file systems' clocks move in steps. */
const TICK_MS = 40;
/** Some file systems know whole seconds only. */
const COARSE_TICK_MS = 2100;

/**
 * The signs of a tree's entries, by slot: numbers that change whenever an entry may have changed. They lie in memory that
 * another thread can compare with the disk too.
 */
export class Signs {
  readonly buffer: SharedArrayBuffer;
  readonly #view: Float64Array;
  readonly #free: number[] = [];
  #next = 0;

  constructor(most: number) {
    this.buffer = new SharedArrayBuffer(FIRST_SLOTS * BYTES, { maxByteLength: most * BYTES });
    this.#view = new Float64Array(this.buffer);
  }

  /** One more than the highest slot in use. */
  get length(): number {
    return this.#next;
  }

  take(): number {
    const slot = this.#free.pop() ?? this.#next;
    if (slot === this.#next) this.#next += 1;
    const needed = this.#next * BYTES;
    if (needed > this.buffer.byteLength)
      this.buffer.grow(Math.min(this.buffer.maxByteLength, Math.max(needed, 2 * this.buffer.byteLength)));
    return slot;
  }

  release(slot: number): void {
    this.#view[slot * SIGN_LENGTH] = Number.NaN;
    this.#free.push(slot);
  }

  /** @param at - when the look began, Unix milliseconds: what changed just before could change again unseen */
  note(slot: number, stat: Stats, at: number): void {
    writeSign(this.#view, slot * SIGN_LENGTH, stat);
    if (isTooFresh(stat, at)) this.#view[slot * SIGN_LENGTH] = Number.NaN;
  }

  matches(slot: number, stat: Stats): boolean {
    return matchesSign(this.#view, slot * SIGN_LENGTH, stat);
  }

  /** As `matches`, also for an entry that counts as changed because it was too fresh. */
  resembles(slot: number, { ctimeMs, size, ino, mode }: Stats): boolean {
    const at = slot * SIGN_LENGTH;
    const view = this.#view;
    return view[at + 1] === ctimeMs && view[at + 2] === size && view[at + 3] === ino && view[at + 4] === mode;
  }

  /** The entry counts as changed at the next look. */
  doubt(slot: number): void {
    this.#view[slot * SIGN_LENGTH] = Number.NaN;
  }

  bytes(slot: number): Uint8Array {
    return new Uint8Array(this.#view.slice(slot * SIGN_LENGTH, (slot + 1) * SIGN_LENGTH).buffer);
  }

  restore(slot: number, bytes: Uint8Array): void {
    const sign = new Float64Array(Uint8Array.from(bytes).buffer);
    for (let i = 0; i < SIGN_LENGTH; i += 1) this.#view[slot * SIGN_LENGTH + i] = sign[i] ?? Number.NaN;
  }
}

function isTooFresh({ mtimeMs, ctimeMs }: Stats, at: number): boolean {
  const tick =
    Number.isInteger(mtimeMs / 1000) && Number.isInteger(ctimeMs / 1000) ? COARSE_TICK_MS : TICK_MS;
  return Math.max(mtimeMs, ctimeMs) > at - tick;
}

function writeSign(view: Float64Array, at: number, stat: Stats): void {
  view[at] = stat.mtimeMs;
  view[at + 1] = stat.ctimeMs;
  view[at + 2] = stat.size;
  view[at + 3] = stat.ino;
  view[at + 4] = stat.mode;
}

/** Whether an entry looks as it did when its sign was noted. */
export function matchesSign(view: Float64Array, at: number, stat: Stats): boolean {
  return (
    view[at] === stat.mtimeMs &&
    view[at + 1] === stat.ctimeMs &&
    view[at + 2] === stat.size &&
    view[at + 3] === stat.ino &&
    view[at + 4] === stat.mode
  );
}
