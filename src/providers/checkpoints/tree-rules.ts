import { isIgnored, parseIgnoreFile, type IgnoreRules } from "../tools/files/ignore-rules.ts";
import { type BytePath, joinPath, readablePath } from "./file-state.ts";
import { readBelow } from "./open-file.ts";

const IGNORE_FILE = ".gitignore";
const LARGEST_IGNORE_FILE = 1_000_000;
/** What version control keeps for itself, and what a package manager brings back. */
const NEVER_KEPT: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj", "node_modules"]);

/** The place of a tree on the disk, and what of it is nobody's business. */
export interface TreePlace {
  /** Real path as bytes. */
  readonly root: BytePath;
  /** Absolute real paths that are left out: the agent's home. */
  readonly apart: readonly BytePath[];
  /** Reads are checked against `/proc`. */
  readonly checksPlace: boolean;
}

export const isIgnoreFile = (name: string): boolean => name === IGNORE_FILE;

/** The rules that hold for the entries of a folder; those of a repository inside another one start anew. */
export function rulesIn(
  place: TreePlace,
  folder: BytePath,
  { names, above }: { readonly names: ReadonlySet<string>; readonly above: IgnoreRules | undefined },
): IgnoreRules | undefined {
  const isTop = names.has(".git");
  const inherited = isTop ? undefined : above;
  const own = names.has(IGNORE_FILE) ? textOf(place, joinPath(folder, IGNORE_FILE)) : "";
  const excluded = isTop ? textOf(place, joinPath(folder, ".git/info/exclude")) : "";
  if (own === "" && excluded === "") return inherited;
  // The later rule wins: what a repository's own file says goes before what stands in nobody's history.
  return {
    rules: parseIgnoreFile(`${excluded}\n${own}`),
    depth: folder === "" ? 0 : folder.split("/").length,
    ...(inherited === undefined ? {} : { above: inherited }),
  };
}

function textOf(place: TreePlace, path: BytePath): string {
  const read = readBelow(place.root, path, {
    limit: LARGEST_IGNORE_FILE,
    checksPlace: place.checksPlace,
  });
  return typeof read === "string" ? "" : Buffer.from(read.bytes).toString("utf8");
}

/** Whether an entry is left out of every look at its tree. */
export function isLeftOut(
  place: TreePlace,
  { path, name, isFolder }: { readonly path: BytePath; readonly name: string; readonly isFolder: boolean },
  rules: IgnoreRules | undefined,
): boolean {
  if (NEVER_KEPT.has(name) || isApart(place, path)) return true;
  return rules !== undefined && isIgnored(rules, readablePath(path).split("/"), isFolder);
}

/** The agent's own files are no part of a workspace, also when its home lies in one. */
export function isApart({ root, apart }: TreePlace, path: BytePath): boolean {
  return apart.includes(path === "" ? root : `${root}/${path}`);
}
