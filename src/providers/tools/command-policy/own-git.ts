import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { wordList } from "../../../shared/text/word-list.ts";
import { isUnder } from "../workspace/roots.ts";
import { isOrdinaryIndex } from "./git-index.ts";

/**
 * A git directory of ours in place of a repository's own. It leads to the repository's objects, references and state, and
 * has settings that we wrote: what the repository's settings name (programs, filters, drivers, hooks, other files) is not
 * known to it. Disposing removes it.
 */
export interface OwnGit extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

/** Entries of a git directory that are data for git. Settings, hooks, modules and worktrees are not among them. */
const FILES = wordList(
  "HEAD ORIG_HEAD FETCH_HEAD MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG MERGE_MSG packed-refs shallow",
);
const FOLDERS = wordList("refs logs info rebase-merge rebase-apply");

/** Settings without which git would see other files than there are. */
const PLAIN_SETTING =
  /^\s*(filemode|ignorecase|symlinks|precomposeunicode|autocrlf)\s*=\s*(true|false|input)\s*$/gim;
const TRACKING = /^\[branch "([\w./-]+)"\]\n\s*remote = ([\w.-]+)\n\s*merge = (refs\/heads\/[\w./-]+)$/gm;
const LARGEST_SETTINGS = 1_000_000;

/**
 * Makes one for the repository that a folder belongs to.
 *
 * @param cwd - absolute real path of the folder
 * @param options - `roots`: the workspace, outside of which no repository is looked at; `tempDir`: absolute
 * @returns `undefined` where there is no repository of the usual form in the workspace: a linked worktree, a submodule, a
 * bare or partial repository, one with links in it, with objects elsewhere, or with an index that leads outside
 */
export async function ownGit(
  cwd: string,
  { roots, tempDir }: { readonly roots: readonly string[]; readonly tempDir: string },
): Promise<OwnGit | undefined> {
  const top = await topOf(cwd, roots);
  const git = top === undefined ? undefined : join(top, ".git");
  if (top === undefined || git === undefined || !(await isUsual(git))) return undefined;
  const index = await readFile(join(git, "index")).catch(() => undefined);
  if (index !== undefined && !isOrdinaryIndex(index)) return undefined;
  const own = await mkdtemp(join(tempDir, "git-"));
  const dispose = (): Promise<void> => rm(own, { recursive: true, force: true });
  try {
    const settings = await readFile(join(git, "config"), "utf8");
    await writeFile(join(own, "config"), settingsFrom(settings));
    await mkdir(join(own, "objects"));
    // Git refuses links in place of some of these files, and writes a new index where it finds the old one.
    if (index !== undefined) await writeFile(join(own, "index"), index);
    for (const name of FILES)
      if (await exists(join(git, name))) await copyFile(join(git, name), join(own, name));
    for (const name of FOLDERS)
      if (await exists(join(git, name))) await symlink(join(git, name), join(own, name));
    const places = {
      GIT_DIR: own,
      GIT_INDEX_FILE: join(own, "index"),
      GIT_OBJECT_DIRECTORY: join(git, "objects"),
      GIT_WORK_TREE: top,
    };
    return { env: { ...ENVIRONMENT, ...places }, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

const ENVIRONMENT = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

/** The nearest folder upwards with a `.git` in it, inside the workspace. */
async function topOf(cwd: string, roots: readonly string[]): Promise<string | undefined> {
  if (cwd.split("/").includes(".git")) return undefined;
  for (let folder = cwd; roots.some((root) => isUnder(folder, root)); folder = dirname(folder)) {
    if (await exists(join(folder, ".git"))) return folder;
    if (folder === "/") return undefined;
  }
  return undefined;
}

/** Whether a git directory is a plain folder whose data lies in it, and has no form that we do not know. */
async function isUsual(git: string): Promise<boolean> {
  const kindsOf = (names: readonly string[]) => Promise.all(names.map((name) => kindOf(join(git, name))));
  const [self, objects, refs, ...folders] = await kindsOf([".", "objects", "refs", ...FOLDERS]);
  const [config, ...files] = await kindsOf(["config", "index", ...FILES]);
  if (self !== "directory" || objects !== "directory" || refs !== "directory" || config !== "file")
    return false;
  if (folders.includes("file") || files.includes("directory") || [...folders, ...files].includes("other"))
    return false;
  for (const name of ["objects/info/alternates", "commondir", "reftable"])
    if (await exists(join(git, name))) return false;
  for (const name of ["objects", ...FOLDERS]) if (!(await isPlain(join(git, name)))) return false;
  const { size } = await lstat(join(git, "config"));
  if (size > LARGEST_SETTINGS) return false;
  const settings = await readFile(join(git, "config"), "utf8");
  return (
    !/partialclone|promisor|objectformat|refstorage/i.test(settings) &&
    !/^\s*bare\s*=\s*true/im.test(settings)
  );
}

/** Whether there are only files and folders in a folder, and in those below it. */
async function isPlain(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.every((entry) => entry.isFile() || entry.isDirectory());
}

async function kindOf(path: string): Promise<"none" | "file" | "directory" | "other"> {
  try {
    const stat = await lstat(path);
    return stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other";
  } catch {
    return "none";
  }
}

const exists = async (path: string): Promise<boolean> => (await kindOf(path)) !== "none";

/** The few settings that name no program and no file, each in the form that git itself writes. */
function settingsFrom(settings: string): string {
  const core = [...settings.matchAll(PLAIN_SETTING)].map(
    ([, name = "", value = ""]) => `\t${name} = ${value}\n`,
  );
  const tracked = [...settings.replaceAll("\r", "").matchAll(TRACKING)];
  const branches = tracked.map(
    ([, name = "", remote = "", merge = ""]) =>
      `[branch "${name}"]\n\tremote = ${remote}\n\tmerge = ${merge}\n`,
  );
  const remotes = [...new Set(tracked.map(([, , remote = ""]) => remote))].map(
    (remote) => `[remote "${remote}"]\n\tfetch = +refs/heads/*:refs/remotes/${remote}/*\n`,
  );
  return `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${core.join("")}${branches.join("")}${remotes.join("")}`;
}
