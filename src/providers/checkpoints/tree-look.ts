import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import type { ContentReader } from "./content-reader.ts";
import { statStamp, unkept } from "./content-reader.ts";
import {
  ABSENT,
  type BytePath,
  type FileState,
  isSameState,
  joinPath,
  nameOf,
  parentOf,
} from "./file-state.ts";
import { slotPath } from "./stat-sweep.ts";
import type { SweepHelper } from "./sweep-helper.ts";
import { MOST_ENTRIES, type IndexEntry, type TreeIndex } from "./tree-index.ts";
import { isIgnoreFile, isLeftOut, rulesIn, type TreePlace } from "./tree-rules.ts";

/** A change of one path between two looks. */
export interface SeenChange {
  readonly path: BytePath;
  readonly old: FileState;
  readonly new: FileState;
  /** Newest time of what is there, Unix milliseconds; of what is gone, that of its folder. */
  readonly at: number;
}

const PERMISSIONS = 0o7777;
/** Left out entries that are named. */
const MOST_NAMED = 50;

/** The parts of a look at a tree. */
export interface LookParts {
  readonly place: TreePlace;
  readonly index: TreeIndex;
  readonly reader: ContentReader;
  readonly helper: SweepHelper;
  readonly now: () => number;
}

/** A look at a tree: brings its index up to date with the disk and tells what changed. */
export class TreeLook {
  readonly #parts: LookParts;
  readonly #at: number;
  readonly #changes = new Map<BytePath, SeenChange>();
  readonly #isFirst: boolean;
  readonly #asked = new Set<BytePath>();
  /** Ignore rules changed: what was hidden may show now without being new. */
  #rulesChanged = false;

  constructor(parts: LookParts) {
    this.#parts = parts;
    this.#at = parts.now();
    this.#isFirst = !parts.index.looked;
  }

  /** Goes through the whole tree; on the first look contents are read later. */
  run(): readonly SeenChange[] {
    const { index, helper } = this.#parts;
    if (this.#isFirst) {
      this.look("");
      index.looked = true;
    } else {
      const slots = helper.run(index);
      const found = slots.map((slot) => index.at(slot)).filter((entry) => entry !== undefined);
      // A folder comes before what is in it.
      for (const { path } of found.sort(byPath)) this.look(path);
      if (this.#rulesChanged) this.#lookAgainAtAll();
    }
    return [...this.#changes.values()].filter((change) => !isSameState(change.old, change.new));
  }

  /** Looks at single paths, also at ones that no look at the tree covers. */
  runFor(paths: readonly BytePath[]): readonly SeenChange[] {
    for (const path of paths) this.#asked.add(path);
    for (const path of paths) this.look(path);
    return [...this.#changes.values()].filter((change) => !isSameState(change.old, change.new));
  }

  /** Brings one known or new path up to date. */
  look(path: BytePath): void {
    const { index } = this.#parts;
    const entry = index.get(path);
    const stat = this.#stat(path);
    if (stat === undefined) return this.#gone(path);
    if (entry !== undefined && this.#kind(stat) !== entry.state.kind) this.#gone(path);
    if (stat.isDirectory()) return this.#folder(path, stat);
    this.#leaf(path, stat);
  }

  #kind(stat: Stats): FileState["kind"] {
    if (stat.isDirectory()) return "directory";
    if (stat.isFile()) return "file";
    return stat.isSymbolicLink() ? "symlink" : "special";
  }

  #gone(path: BytePath): void {
    const folder = this.#stat(parentOf(path));
    const at = Math.max(folder?.mtimeMs ?? 0, folder?.ctimeMs ?? 0);
    for (const entry of this.#parts.index.remove(path)) {
      if (isIgnoreFile(nameOf(entry.path))) this.#rulesChanged = true;
      this.#note(entry.path, { old: entry.state, new: ABSENT, at });
    }
  }

  #folder(path: BytePath, stat: Stats): void {
    const { index } = this.#parts;
    const known = index.get(path);
    const state: FileState = { kind: "directory", mode: stat.mode & PERMISSIONS };
    const before = known?.state ?? ABSENT;
    // A path that was asked about is looked at alone; what is in a folder is left to the next look at the tree.
    const isAsked = this.#asked.has(path);
    const names = isAsked ? undefined : this.#namesIn(path);
    const entry = index.put(path, state, { stat, at: this.#at });
    if (path !== "") this.#note(path, { old: before, new: state, at: timeOf(stat) });
    if (names === undefined) return index.signs.doubt(entry.slot);
    this.#entries(entry, names, known === undefined);
  }

  /** Compares a folder's names with those that are known. */
  #entries(entry: IndexEntry, names: ReadonlySet<string>, isNew: boolean): void {
    const { place, index } = this.#parts;
    const { path } = entry;
    const oldRules = entry.rules;
    const above = path === "" ? undefined : index.get(parentOf(path))?.rules;
    entry.rules = rulesIn(place, path, { names, above });
    const known = entry.names ?? new Set<string>();
    for (const name of known) if (!names.has(name)) this.#gone(joinPath(path, name));
    for (const name of names) {
      if (known.has(name)) continue;
      const below = joinPath(path, name);
      const stat = this.#stat(below);
      if (stat === undefined || index.size >= MOST_ENTRIES) continue;
      const found = { path: below, name, isFolder: stat.isDirectory() };
      if (isLeftOut(place, found, entry.rules)) continue;
      // What the old rules hid may have been there all the time.
      const wasHidden = !isNew && isLeftOut(place, found, oldRules);
      if (wasHidden) this.#quietly(() => this.look(below));
      else this.look(below);
      if (isIgnoreFile(name) && !isNew) this.#rulesChanged = true;
    }
  }

  #leaf(path: BytePath, stat: Stats): void {
    const { index, reader, place } = this.#parts;
    const known = index.get(path);
    if (known !== undefined && index.signs.matches(known.slot, stat)) return;
    const before = known?.state ?? ABSENT;
    if (known !== undefined && isIgnoreFile(nameOf(path))) this.#rulesChanged = true;
    if (stat.isFile() && this.#isFirst && known === undefined && !this.#asked.has(path)) {
      const entry = index.put(path, unkept(stat, "late"), { stat, at: this.#at });
      entry.pending = true;
      return;
    }
    const seen = stat.isFile() ? reader.read(place, path, stat) : { state: this.#other(path, stat), stat };
    if (seen.state.kind === "absent") return this.#gone(path);
    index.put(path, seen.state, { stat: seen.stat, at: this.#at });
    // Its content is known now, and it is what it was all the time.
    const isSame =
      before.kind === "file" && before.stamp !== undefined && before.stamp === statStamp(seen.stat);
    if (isSame) return;
    this.#note(path, { old: before, new: seen.state, at: timeOf(seen.stat) });
  }

  #other(path: BytePath, stat: Stats): FileState {
    if (!stat.isSymbolicLink()) return { kind: "special" };
    try {
      const target = readlinkSync(slotPath(this.#parts.index.root, path), { encoding: "latin1" });
      return { kind: "symlink", target };
    } catch {
      return ABSENT;
    }
  }

  /** The rules of every folder anew: hidden entries leave, shown ones come, and neither is a change. */
  #lookAgainAtAll(): void {
    const { place, index } = this.#parts;
    this.#rulesChanged = false;
    const folders = [...index.all()].filter(({ state }) => state.kind === "directory").sort(byPath);
    for (const folder of folders) {
      const names = index.get(folder.path) === folder ? this.#namesIn(folder.path) : undefined;
      if (names === undefined) continue;
      const above = folder.path === "" ? undefined : index.get(parentOf(folder.path))?.rules;
      const rules = rulesIn(place, folder.path, { names, above });
      for (const name of folder.names ?? []) {
        const path = joinPath(folder.path, name);
        const isFolder = index.get(path)?.state.kind === "directory";
        if (isLeftOut(place, { path, name, isFolder }, rules)) index.remove(path);
      }
      this.#quietly(() => this.#entries(folder, names, false));
    }
  }

  /** Takes up what is there without calling it a change. */
  #quietly(look: () => void): void {
    const before = new Map(this.#changes);
    look();
    for (const path of this.#changes.keys()) if (!before.has(path)) this.#changes.delete(path);
  }

  #note(path: BytePath, change: Omit<SeenChange, "path">): void {
    if (this.#isFirst && this.#asked.size === 0) return;
    const old = this.#changes.get(path)?.old ?? change.old;
    this.#changes.set(path, { path, ...change, old });
  }

  #stat(path: BytePath): Stats | undefined {
    try {
      return lstatSync(slotPath(this.#parts.index.root, path), { throwIfNoEntry: false });
    } catch {
      // A part of the path is no folder any more, or may not be entered.
      return undefined;
    }
  }

  #namesIn(path: BytePath): ReadonlySet<string> | undefined {
    try {
      return new Set(readdirSync(slotPath(this.#parts.index.root, path), { encoding: "latin1" }));
    } catch {
      return undefined;
    }
  }
}

const timeOf = ({ mtimeMs, ctimeMs }: Stats): number => Math.max(mtimeMs, ctimeMs);

const byPath = (a: IndexEntry, b: IndexEntry): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** Names at the top of what a tree's look leaves out, for people. */
export function leftOutNames({ place, index }: Pick<LookParts, "place" | "index">): readonly string[] {
  const named: string[] = [];
  for (const entry of index.all()) {
    if (entry.state.kind !== "directory" || named.length >= MOST_NAMED) continue;
    for (const name of namesOrNone(slotPath(place.root, entry.path))) {
      if (entry.names?.has(name) === true || named.length >= MOST_NAMED) continue;
      named.push(joinPath(entry.path, name));
    }
  }
  return named.sort();
}

function namesOrNone(path: string | Buffer): readonly string[] {
  try {
    return readdirSync(path, { encoding: "latin1" });
  } catch {
    return [];
  }
}

/** Reads the content of files that the first look only counted, unless they changed since; `true` when it is done. */
export function readPending(
  { place, index, reader, now }: LookParts,
  pending: IndexEntry[],
  limits: { readonly files: number; readonly bytes: number },
): boolean {
  for (let files = 0; files < limits.files && reader.waiting < limits.bytes; files += 1) {
    const entry = pending.pop();
    if (entry === undefined) return true;
    if (!entry.pending || index.get(entry.path) !== entry) continue;
    const stat = lstatOrNone(slotPath(place.root, entry.path));
    const { state } = entry;
    // What changed meanwhile is found by the next look, as a change.
    if (stat === undefined || state.kind !== "file" || statStamp(stat) !== state.stamp) continue;
    const read = reader.read(place, entry.path, stat);
    if (statStamp(read.stat) !== state.stamp) continue;
    if (read.state.kind === "file") index.put(entry.path, read.state, { stat, at: now() });
  }
  return pending.length === 0;
}

function lstatOrNone(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
