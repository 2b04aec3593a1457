import type { Stats } from "node:fs";
import { ABSENT, type BytePath, type FileState, joinPath, nameOf, parentOf } from "./file-state.ts";
import { Signs } from "./signs.ts";
import { type SlotPaths, slotPath } from "./stat-sweep.ts";
import type { SweptTree } from "./sweep-helper.ts";
import type { IgnoreRules } from "../tools/files/ignore-rules.ts";

/** More entries than these are not looked at: a workspace with so many is a whole disk. */
export const MOST_ENTRIES = 200_000;

/** One entry of a tree as it was last seen. */
export interface IndexEntry {
  readonly path: BytePath;
  readonly slot: number;
  state: FileState;
  /** Its content has not been read yet: the first look goes on. */
  pending: boolean;
  /** For a folder: the names in it that are looked at. */
  names?: Set<string>;
  /** For a folder: the ignore rules for its entries. */
  rules?: IgnoreRules | undefined;
}

/** The knowledge of a tree: its entries by path, and the signs by which a change is seen. */
export class TreeIndex implements SweptTree {
  readonly number: number;
  readonly root: BytePath;
  readonly signs = new Signs(MOST_ENTRIES + 1);
  readonly paths: SlotPaths = [];
  readonly news: SweptTree["news"] = [];
  /** Entries that the database does not have in this form. */
  readonly unsaved = new Set<BytePath>();
  /** The whole tree was looked at once. */
  looked = false;
  readonly #entries = new Map<BytePath, IndexEntry>();
  readonly #bySlot: (IndexEntry | undefined)[] = [];

  constructor(root: BytePath, number: number) {
    this.root = root;
    this.number = number;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(path: BytePath): IndexEntry | undefined {
    return this.#entries.get(path);
  }

  at(slot: number): IndexEntry | undefined {
    return this.#bySlot[slot];
  }

  all(): Iterable<IndexEntry> {
    return this.#entries.values();
  }

  stateOf(path: BytePath): FileState {
    return this.#entries.get(path)?.state ?? ABSENT;
  }

  put(path: BytePath, state: FileState, seen: { readonly stat: Stats; readonly at: number }): IndexEntry {
    const known = this.#entries.get(path);
    const entry = known ?? this.#add(path, state);
    entry.state = state;
    if (state.kind === "directory") entry.names ??= new Set();
    else delete entry.names;
    entry.pending = false;
    this.#join(path);
    this.signs.note(entry.slot, seen.stat, seen.at);
    this.unsaved.add(path);
    return entry;
  }

  /** As it stands in the database. */
  load(path: BytePath, state: FileState, sign: Uint8Array): IndexEntry {
    const entry = this.#add(path, state);
    if (state.kind === "directory") entry.names ??= new Set();
    this.#join(path);
    this.signs.restore(entry.slot, sign);
    return entry;
  }

  /** Whether an entry still looks as it did when it was read, also when that was just now. */
  isUnchanged(path: BytePath, stat: Stats): boolean {
    const entry = this.#entries.get(path);
    return entry !== undefined && this.signs.resembles(entry.slot, stat);
  }

  /** Takes an entry and all below it out; gives what it takes out, the deepest first. */
  remove(path: BytePath): readonly IndexEntry[] {
    const entry = this.#entries.get(path);
    if (entry === undefined) return [];
    const below = [...(entry.names ?? [])].flatMap((name) => this.remove(joinPath(path, name)));
    this.#entries.delete(path);
    this.#bySlot[entry.slot] = undefined;
    this.paths[entry.slot] = undefined;
    this.news.push([entry.slot, undefined]);
    this.signs.release(entry.slot);
    if (path !== "") this.#entries.get(parentOf(path))?.names?.delete(nameOf(path));
    this.unsaved.add(path);
    return [...below, entry];
  }

  #add(path: BytePath, state: FileState): IndexEntry {
    const slot = this.signs.take();
    const entry: IndexEntry = { path, slot, state, pending: false };
    this.#entries.set(path, entry);
    this.#bySlot[slot] = entry;
    const whole = slotPath(this.root, path);
    this.paths[slot] = whole;
    this.news.push([slot, whole]);
    return entry;
  }

  /** Its folder knows it from now on. */
  #join(path: BytePath): void {
    if (path !== "") this.#entries.get(parentOf(path))?.names?.add(nameOf(path));
  }
}
