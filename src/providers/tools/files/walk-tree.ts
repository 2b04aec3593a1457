import { basename, dirname } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import {
  type Workspace,
  type WorkspaceDirectory,
  type WorkspaceEntry,
  openWorkspace,
} from "../workspace/workspace.ts";
import { isIgnored, parseIgnoreFile, type IgnoreRules } from "./ignore-rules.ts";

/** An entry of a tree; directories come before what is in them. */
export interface TreeEntry extends WorkspaceEntry {
  /** Names from the walk's beginning. */
  readonly names: readonly string[];
}

/** Options of a walk through a folder. */
export interface TreeWalk {
  /** Directories are entered down to here; 1 is the first directory's own entries. */
  readonly depth: number;
  readonly signal: AbortSignal;
}

/** Never of interest unless asked for by name, and large. */
const SKIPPED = new Set([".git", ".hg", ".svn", ".jj", "node_modules"]);

const LARGEST_IGNORE_FILE = 1_000_000n;

/**
 * Goes through what lies under a directory, in the order of the names' bytes, without what git ignores. Links are
 * named but not followed.
 */
export async function* walkTree(
  workspace: Workspace,
  base: WorkspaceDirectory,
  walk: TreeWalk,
): AsyncGenerator<TreeEntry, void, void> {
  const { names, ignore } = await beginning(workspace, base.path);
  const [top, end] = [names.length, names.length + walk.depth];
  for await (const entry of inDirectory(base, { names, ignore }, { ...walk, top, depth: end })) {
    yield { ...entry, names: entry.names.slice(top) };
  }
}

/** A directory by its names from the top of its repository, and the rules of those above it. */
interface Position {
  readonly names: readonly string[];
  readonly ignore: IgnoreRules | undefined;
}

async function* inDirectory(
  directory: WorkspaceDirectory,
  { names, ignore: above }: Position,
  walk: TreeWalk & { readonly top: number },
): AsyncGenerator<TreeEntry, void, void> {
  walk.signal.throwIfAborted();
  // The one that was asked for has to be readable.
  const entries =
    names.length === walk.top ? await directory.entries() : await unlessHidden(directory.entries(), []);
  const own = entries.some(({ name }) => name === ".gitignore") ? await ownRules(directory) : undefined;
  const ignore = stack(above, own, names.length);
  for (const { name, kind } of entries) {
    const path = [...names, name];
    if (SKIPPED.has(name) || isIgnored(ignore, path, kind === "directory")) continue;
    yield { name, kind, names: path };
    if (kind !== "directory" || path.length >= walk.depth) continue;
    await using below = await unlessHidden(directory.directory(name), undefined);
    if (below !== undefined) yield* inDirectory(below, { names: path, ignore }, walk);
  }
}

/** What may not be read, or is gone, is as good as empty: other users' folders are everywhere. */
async function unlessHidden<T, Otherwise>(reading: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  try {
    return await reading;
  } catch (error) {
    const cause = error instanceof HostError ? error.cause : error;
    if (["EACCES", "EPERM", "ENOENT"].includes(systemErrorCode(cause) ?? "")) return otherwise;
    throw error;
  }
}

function stack(
  above: IgnoreRules | undefined,
  rules: IgnoreRules["rules"] | undefined,
  depth: number,
): IgnoreRules | undefined {
  if (rules === undefined) return above;
  return { rules, depth, ...(above === undefined ? {} : { above }) };
}

async function ownRules(directory: WorkspaceDirectory): Promise<IgnoreRules["rules"] | undefined> {
  await using file = await unlessHidden(directory.file(".gitignore"), undefined);
  return file === undefined || file.stat.size > LARGEST_IGNORE_FILE
    ? undefined
    : parseIgnoreFile(await file.handle.readFile("utf8"));
}

/** Finds the rules of the directories above a base, up to its repository's top or the workspace's. */
async function beginning(workspace: Workspace, base: string): Promise<Position> {
  const names: string[] = [];
  const found: (IgnoreRules["rules"] | undefined)[] = [];
  for (let path = base; !(await isTop(workspace, path)); path = dirname(path)) {
    names.unshift(basename(path));
    await using parent = await workspace.openDirectory(dirname(path));
    found.unshift(await ownRules(parent));
  }
  let ignore: IgnoreRules | undefined;
  for (const [depth, rules] of found.entries()) {
    ignore = stack(ignore, rules, depth);
    // Whoever names an ignored directory wants to see what is in it.
    if (isIgnored(ignore, names.slice(0, depth + 1), true)) return { names, ignore: undefined };
  }
  return { names, ignore };
}

/** Whether what is above a directory is none of its business: another repository, or outside the workspace. */
async function isTop(workspace: Workspace, path: string): Promise<boolean> {
  if (dirname(path) === path) return true;
  try {
    await workspace.realPath(dirname(path));
    await using directory = await workspace.openDirectory(path);
    return (await directory.entries()).some(({ name }) => name === ".git");
  } catch (error) {
    if (error instanceof HostError) return true;
    throw error;
  }
}

/** Folders inside folders that are looked into. */
const DEEPEST = 32;

/** The bounds of a listing. */
interface ListedTree {
  readonly platform: string;
  /** Absolute real paths that are left out: the agent's home. */
  readonly apart: readonly string[];
  readonly most: number;
  readonly signal: AbortSignal;
}

/**
 * Paths below a folder, relative to it, folders with a slash at the end; without what git ignores. Those that were found
 * when the signal aborts.
 *
 * @throws HostError when the folder cannot be read
 */
export async function listTree(
  folder: string,
  { platform, apart, most, signal }: ListedTree,
): Promise<readonly string[]> {
  const workspace = openWorkspace({ cwd: folder, roots: [folder], apart }, platform);
  await using directory = await workspace.openDirectory(".");
  const paths: string[] = [];
  try {
    for await (const { names, kind } of walkTree(workspace, directory, { depth: DEEPEST, signal })) {
      if (paths.length >= most) break;
      paths.push(`${names.join("/")}${kind === "directory" ? "/" : ""}`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return paths;
}
