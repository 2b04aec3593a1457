import type { Dirent } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { Io } from "../../../app/process/io.ts";
import { codexMeta } from "./codex.ts";

/** The programs whose sessions can be imported. */
export type Program = "claude-code" | "codex";

/** Files of Codex that are looked into for one of the folder, the newest first. */
const LOOKED_INTO = 500;
/** Bytes of a file in which its first line stands. */
const FIRST_LINE = 256 * 1024;

/**
 * The file of another program's newest session in the folder of the command.
 *
 * @throws HostError `not_found`
 */
export async function newestFile(io: Pick<Io, "cwd" | "env">, program: Program): Promise<string> {
  const home = io.env["HOME"] ?? homedir();
  const folder =
    program === "codex"
      ? join(io.env["CODEX_HOME"] ?? join(home, ".codex"), "sessions")
      : join(io.env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "projects", projectName(io.cwd));
  const found = program === "codex" ? await newestOfCodex(folder, io.cwd) : await newestOfClaude(folder);
  if (found !== undefined) return found;
  throw new HostError("not_found", `There is no session of ${program} about this folder in ${folder}.`);
}

/** Claude Code names a folder's sessions so. */
const projectName = (cwd: string): string => cwd.replaceAll(/[^A-Za-z0-9]/g, "-");

async function newestOfClaude(folder: string): Promise<string | undefined> {
  const files = (await filesIn(folder)).filter(({ name }) => !name.startsWith("agent-"));
  const dated = await Promise.all(
    files.map(async ({ name }) => {
      const path = join(folder, name);
      return { path, at: (await stat(path)).mtimeMs };
    }),
  );
  return dated.toSorted((a, b) => b.at - a.at)[0]?.path;
}

/** Its files are named by their time and lie in folders by day. */
async function newestOfCodex(folder: string, cwd: string): Promise<string | undefined> {
  const files = (await filesIn(folder, { recursive: true })).filter(({ name }) =>
    name.startsWith("rollout-"),
  );
  const newestFirst = files.toSorted((a, b) => (a.name < b.name ? 1 : -1)).slice(0, LOOKED_INTO);
  for (const { parentPath, name } of newestFirst) {
    const path = join(parentPath, name);
    if ((await folderOf(path)) === cwd) return path;
  }
  return undefined;
}

async function filesIn(folder: string, options: { readonly recursive?: boolean } = {}): Promise<Dirent[]> {
  const all = await readdir(folder, { ...options, withFileTypes: true }).catch(() => []);
  return all.filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"));
}

async function folderOf(path: string): Promise<string | undefined> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_LINE), 0, FIRST_LINE, 0);
  const [line = ""] = buffer.subarray(0, bytesRead).toString("utf8").split("\n", 1);
  try {
    return codexMeta(JSON.parse(line))?.cwd;
  } catch {
    // Another file, or one whose first line is longer than any of theirs.
    return undefined;
  }
}
