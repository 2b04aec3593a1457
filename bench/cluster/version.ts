import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LONGEST_BUILD_MS = 300_000;
const run = promisify(execFile);

/** Another version of the program, built in a folder of its own. */
export interface BuiltVersion extends AsyncDisposable {
  /** Its commit, shortened. */
  readonly commit: string;
  /** The file that `node` runs. */
  readonly program: string;
}

/** The version before this one: the last tag, else the commit before. */
export async function versionBefore(): Promise<string> {
  const tag = await git("describe", "--tags", "--abbrev=0").catch(() => "");
  return tag === "" ? "HEAD~1" : tag;
}

/** Builds a version beside this one, with the packages of this one. */
export async function buildVersion(ref: string): Promise<BuiltVersion> {
  const commit = await git("rev-parse", "--short", `${ref}^{commit}`);
  const folder = mkdtempSync(join(tmpdir(), `agent-${commit}-`));
  const remove = async (): Promise<void> => {
    await git("worktree", "remove", "--force", folder).catch(() => "");
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await git("worktree", "add", "--detach", folder, commit);
    symlinkSync(realpathSync(join(ROOT, "node_modules")), join(folder, "node_modules"));
    await run("npm", ["run", "-s", "build"], { cwd: folder, timeout: LONGEST_BUILD_MS });
  } catch (cause) {
    await remove();
    throw new Error(`The version ${ref} could not be built beside this one.`, { cause });
  }
  return { commit, program: join(folder, "bin/agent.js"), [Symbol.asyncDispose]: remove };
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", args, { cwd: ROOT });
  return stdout.trim();
}
