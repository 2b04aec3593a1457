import {
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { orNone } from "./or-none.ts";

/** The parts of a repository as programs inside may use them; absolute paths. */
export interface GitPlaces {
  /** Can be written, but not be moved away. */
  readonly open: readonly string[];
  /** Can only be read: git obeys what stands there. */
  readonly kept: readonly string[];
}

/** What git obeys in its folder. `commondir` would lead it to the settings of another one. */
const OBEYED = ["config", "config.worktree", "hooks", "commondir", "gitdir"];
const MOST_NESTED = 200;
const DEEPEST = 6;
const QUIET = { throwIfNoEntry: false } as const;

/** The places of a working tree's repository, which may lie elsewhere. */
export function gitPlaces(worktree: string, roots: readonly string[]): GitPlaces {
  const entry = join(worktree, ".git");
  const stat = orNone(() => lstatSync(entry));
  if (stat?.isDirectory() === true) return placesIn(entry);
  if (stat?.isFile() !== true) return { open: [], kept: [] };
  const folder = linkedFolder(worktree);
  if (folder === undefined) return { open: [], kept: [entry] };
  const common = commonFolder(folder);
  const isInside = roots.some((root) => common === root || common.startsWith(`${root}/`));
  const [own, shared] = [obeyedIn(folder), placesIn(common)];
  // Inside a root, the repository is found there by itself.
  return { open: isInside ? [] : shared.open, kept: [entry, ...own, ...(isInside ? [] : shared.kept)] };
}

/** The places of a folder of git, with those of the modules in it. */
export function placesIn(folder: string): GitPlaces {
  // A folder that is not there yet could be made inside.
  orNone(() => mkdirSync(join(folder, "hooks"), { recursive: true }));
  const kept = obeyedIn(folder);
  const nested = nestedFolders(folder);
  const others = nested.flatMap((each) => obeyedIn(each));
  return { open: [folder, ...foldersBetween(folder, nested)], kept: [...kept, ...others] };
}

function obeyedIn(folder: string): readonly string[] {
  return OBEYED.map((name) => join(folder, name)).filter((path) => {
    const stat = orNone(() => lstatSync(path, QUIET));
    if (stat?.isFile() === true && stat.nlink > 1) part(path, stat.mode);
    return stat?.isFile() === true || stat?.isDirectory() === true;
  });
}

/** Parts a file from its other names: through one of them it could still be written. */
function part(path: string, mode: number): void {
  const own = `${path}.parted`;
  rmSync(own, { force: true });
  writeFileSync(own, readFileSync(path), { flag: "wx", mode });
  renameSync(own, path);
}

/** The folders of git in a folder of git: those of modules, whose names may have parts, and of linked working trees. */
export function nestedFolders(folder: string): readonly string[] {
  const found: string[] = [];
  const queue = ["modules", "worktrees"].map((name) => ({ path: join(folder, name), depth: 0 }));
  for (let at = 0; at < queue.length && at < MOST_NESTED; at += 1) {
    const { path = "", depth = 0 } = queue[at] ?? {};
    const entries = orNone((): Dirent[] => readdirSync(path, { withFileTypes: true })) ?? [];
    const isRepository = entries.some(({ name }) => name === "HEAD");
    if (isRepository) found.push(path);
    const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const names = isRepository ? inner.filter((name) => name === "modules") : inner;
    if (depth < DEEPEST) queue.push(...names.map((name) => ({ path: join(path, name), depth: depth + 1 })));
  }
  return found;
}

/** The folders on the way to those, which must not be moved away either. */
function foldersBetween(folder: string, nested: readonly string[]): readonly string[] {
  const between = nested.flatMap((path) => {
    const names = path.slice(folder.length + 1).split("/");
    return names.map((_name, index) => join(folder, ...names.slice(0, index + 1)));
  });
  return [...new Set(between)].toSorted((a, b) => a.length - b.length);
}

/**
 * The folder of git that a `.git` file leads to. It counts only when it says itself that it belongs to this working tree:
 * anybody can write a `.git` file, and it must not open a folder of their choice.
 */
export function linkedFolder(worktree: string): string | undefined {
  return orNone(() => {
    const [, written = ""] = /^gitdir: (.+?)\s*$/s.exec(readFileSync(join(worktree, ".git"), "utf8")) ?? [];
    const folder = realpathSync.native(resolve(worktree, written));
    const back = orNone(() => readFileSync(join(folder, "gitdir"), "utf8"));
    if (back !== undefined)
      return realpathSync.native(dirname(resolve(folder, back.trim()))) === worktree ? folder : undefined;
    const config = readFileSync(join(folder, "config"), "utf8");
    const [, tree = ""] = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(config) ?? [];
    return tree !== "" && realpathSync.native(resolve(folder, tree)) === worktree ? folder : undefined;
  });
}

/** @throws the system's error when it leads to what is not there */
export function commonFolder(folder: string): string {
  const written = orNone(() => readFileSync(join(folder, "commondir"), "utf8"));
  return written === undefined ? folder : realpathSync.native(resolve(folder, written.trim()));
}

/** The working tree above a folder that has none of its own. */
export function worktreeAbove(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const stat = orNone(() => lstatSync(join(folder, ".git"), QUIET));
    if (stat !== undefined) return folder === root ? undefined : folder;
    if (folder === dirname(folder)) return undefined;
  }
}

const FLAGS_BEFORE_NAME = 2;
const NAME_LENGTH = 0x0fff;

/** Tells of paths whether git keeps them in a working tree: what it keeps can be read in its folder anyway. */
export function trackedIn(worktree: string): (path: string) => boolean {
  let index: Buffer;
  try {
    index = readFileSync(join(worktree, ".git", "index"));
  } catch {
    return () => false;
  }
  return (path) => {
    const name = Buffer.from(`${path.slice(worktree.length + 1)}\0`);
    const length = Math.min(name.length - 1, NAME_LENGTH);
    for (let at = index.indexOf(name); at >= FLAGS_BEFORE_NAME; at = index.indexOf(name, at + 1)) {
      if ((index.readUInt16BE(at - FLAGS_BEFORE_NAME) & NAME_LENGTH) === length) return true;
    }
    return false;
  };
}
