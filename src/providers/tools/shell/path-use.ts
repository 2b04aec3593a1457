import { HostError } from "../../../shared/errors/host-error.ts";
import { isSensitive } from "../workspace/sensitive.ts";
import type { Workspace, WorkspaceDirectory } from "../workspace/workspace.ts";
import type { PathUse } from "./harmless.ts";

/** Entries of directories that are looked at for one pattern of file names. */
const MOST_ENTRIES = 2000;

const GLOB = /[*?[]/;

/** Whether a command that is given this path stays in the workspace, wherever links lead. */
export async function isInside(workspace: Workspace, use: PathUse): Promise<boolean> {
  const { path, glob, writes } = use;
  if (path === "/dev/null") return true;
  // After a link, `..` is the parent of its target; the system would go where the letters do not say.
  if (path === "" || /(^|\/)[^/]+\/+\.\.(\/|$)/.test(path.replace(/^(\.\.?\/+)+/, ""))) return false;
  try {
    if (glob) return await patternStaysInside(workspace, path);
    const real = await workspace.realPath(path);
    if (/^\/(proc|dev|sys)(\/|$)/.test(real)) return false;
    if (use.file === true && (await isDirectory(workspace, real))) return false;
    return !writes || !(isSensitive(real) || isSensitive(path));
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

async function isDirectory(workspace: Workspace, path: string): Promise<boolean> {
  try {
    const directory = await workspace.openDirectory(path);
    await directory[Symbol.asyncDispose]();
    return true;
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

/** Looks at every link that the pattern could give, which are all links beside what it could give. */
async function patternStaysInside(workspace: Workspace, pattern: string): Promise<boolean> {
  const names = pattern.split("/").filter((name) => name !== "");
  const first = names.findIndex((name) => GLOB.test(name));
  const base = `${pattern.startsWith("/") ? "/" : ""}${names.slice(0, first).join("/")}`;
  if (first < 0 || names.slice(first).includes("..")) return false;
  const real = await workspace.realPath(base === "" ? "." : base);
  if (/^\/(proc|dev|sys)(\/|$)/.test(real)) return false;
  await using directory = await workspace.openDirectory(real);
  return await new PatternCheck(workspace).links(directory, names.length - first);
}

class PatternCheck {
  readonly #workspace: Workspace;
  #left = MOST_ENTRIES;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** @param depth - names that the pattern still has */
  async links(directory: WorkspaceDirectory, depth: number): Promise<boolean> {
    for (const { name, kind } of await directory.entries()) {
      this.#left -= 1;
      if (this.#left < 0) return false;
      if (kind === "symlink") {
        // What lies behind a link was not looked at.
        if (depth > 1) return false;
        await this.#workspace.realPath(`${directory.path}/${name}`);
      }
      if (kind !== "directory" || depth <= 1) continue;
      await using below = await directory.directory(name);
      if (below !== undefined && !(await this.links(below, depth - 1))) return false;
    }
    return true;
  }
}
