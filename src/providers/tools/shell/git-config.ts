import { dirname } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Sections in which no setting names a program or another file. */
const PLAIN_SECTIONS = new Set(
  "advice branch color column commit extensions fetch gc gui init log pull push rebase remote rerere status submodule user worktree".split(
    " ",
  ),
);

const PLAIN_CORE = new Set(
  (
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode autocrlf eol safecrlf symlinks " +
    "abbrev compression longpaths quotepath sharedrepository preferssymlinkrefs untrackedcache preloadindex " +
    "commitgraph multipackindex whitespace trustctime checkstat"
  ).split(" "),
);

const LARGEST = 1_000_000;

/**
 * Whether a repository in the workspace is set up so that looking at it runs no program. Settings above the roots and
 * the person's own are trusted: nothing here could have changed them.
 *
 * @param cwd - a real path
 */
export async function isPlainRepository(workspace: Workspace, cwd: string): Promise<boolean> {
  for (let directory = cwd; ; directory = dirname(directory)) {
    if (!(await isInside(workspace, directory))) return true;
    try {
      const config = await configOf(workspace, directory);
      if (config !== undefined) return isPlainConfig(config);
    } catch (error) {
      // A repository elsewhere, or one that cannot be read: nobody knows what it says.
      if (error instanceof HostError) return false;
      throw error;
    }
    if (directory === "/") return true;
  }
}

async function isInside(workspace: Workspace, directory: string): Promise<boolean> {
  try {
    await workspace.realPath(directory);
    return true;
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

/** The settings of the repository at a directory; `undefined` when there is none. */
async function configOf(workspace: Workspace, directory: string): Promise<string | undefined> {
  try {
    await using file = await workspace.openFile(`${directory}/.git/config`);
    return file.stat.size > LARGEST ? "[include]" : await file.handle.readFile("utf8");
  } catch (error) {
    if (error instanceof HostError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Whether no setting names a program. What is not known is not plain. */
export function isPlainConfig(config: string): boolean {
  let section = "";
  for (const line of config.split("\n")) {
    const text = line.trim();
    if (text === "" || text.startsWith("#") || text.startsWith(";")) continue;
    const [, name, rest = ""] = /^\[\s*([\w.-]+)(?:\s+"[^"]*")?\s*\](.*)$/.exec(text) ?? [];
    if (name !== undefined) section = name.toLowerCase().split(".")[0] ?? "";
    else if (text.startsWith("[")) return false;
    const setting = (name === undefined ? text : rest).trim();
    if (setting !== "" && !isPlainSetting(section, setting)) return false;
    // A line that goes on could hide what the next one is.
    if (text.endsWith("\\")) return false;
  }
  return true;
}

function isPlainSetting(section: string, setting: string): boolean {
  const key = /^[\w-]+/.exec(setting)?.[0].toLowerCase() ?? "";
  if (section === "core") return PLAIN_CORE.has(key);
  if (section === "remote") return !/pack|proxy|vcs/.test(key);
  return PLAIN_SECTIONS.has(section);
}
