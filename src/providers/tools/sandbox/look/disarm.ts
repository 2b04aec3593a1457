import { statSync } from "node:fs";
import { lstat, readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Disarmed } from "../port.ts";
import { harmlessSettings } from "./git-settings.ts";
import { orNone } from "./or-none.ts";

/** The ending under which what was taken out stays. */
const TAKEN = ".taken-out";

/** The identity of a folder, whatever it is called. */
export function folderIdentity(folder: string): string | undefined {
  const found = orNone(() => statSync(folder, { bigint: true, throwIfNoEntry: false }));
  return found && `${found.dev}:${found.ino}`;
}

/**
 * Takes out of a folder of git what would run later: hooks, settings that start programs, files that lead to other
 * settings. Links are taken away as they are; nothing is written through one.
 */
export async function disarmFolder(folder: string): Promise<readonly Disarmed[]> {
  const done: Disarmed[] = [];
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return done;
  for (const name of ["config", "config.worktree"]) done.push(...(await disarmSettings(join(folder, name))));
  done.push(...(await disarmHooks(join(folder, "hooks"))));
  for (const part of ["modules", "worktrees"]) {
    const entries = await readdir(join(folder, part), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, part, entry.name);
      if (entry.isSymbolicLink()) done.push(...(await takeOut(path, "a link to another repository")));
      else if (entry.isDirectory()) done.push(...(await disarmFolder(path)));
    }
  }
  return done;
}

/** Takes away a file that leads git from a folder that is not a linked working tree to the settings of another one. */
export async function disarmCommon(folder: string): Promise<readonly Disarmed[]> {
  const path = join(folder, "commondir");
  const isThere = (await lstat(path).catch(() => undefined)) !== undefined;
  return isThere ? await takeOut(path, "a file that leads git to the settings of another repository") : [];
}

/** Does the same in a folder that was there before, with what was not there in it, and so could be made. */
export async function disarmAdded(folder: string, kept: ReadonlySet<string>): Promise<readonly Disarmed[]> {
  const at = (name: string): string => join(folder, name);
  const done: Disarmed[] = [];
  for (const name of ["config", "config.worktree"])
    if (!kept.has(at(name))) done.push(...(await disarmSettings(at(name))));
  if (!kept.has(at("hooks"))) done.push(...(await disarmHooks(at("hooks"))));
  if (!kept.has(at("commondir"))) done.push(...(await disarmCommon(folder)));
  return done;
}

/** Takes away a `.git` that leads elsewhere: a file, or a link. */
export const disarmPointer = (path: string): Promise<readonly Disarmed[]> =>
  takeOut(path, "a file that leads git to another repository");

async function disarmSettings(path: string): Promise<readonly Disarmed[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return [];
  if (!found.isFile()) return await takeOut(path, "settings of git behind a link");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return await takeOut(path, "settings of git that cannot be read");
  const { text: harmless, taken } = harmlessSettings(text);
  if (taken.length === 0) return [];
  await rename(path, path + TAKEN);
  await writeFile(path, harmless, { flag: "wx" });
  return [{ path, what: `settings of git that run programs: ${[...new Set(taken)].slice(0, 8).join(", ")}` }];
}

async function disarmHooks(path: string): Promise<readonly Disarmed[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return [];
  if (!found.isDirectory()) return await takeOut(path, "hooks of git behind a link");
  const entries = await readdir(path).catch(() => []);
  const hooks = entries.filter((name) => !/\.(sample|taken-out)$/.test(name));
  const done = await Promise.all(hooks.map((name) => takeOut(join(path, name), "a hook of git")));
  return done.flat();
}

async function takeOut(path: string, what: string): Promise<readonly Disarmed[]> {
  try {
    await rename(path, path + TAKEN);
  } catch {
    await unlink(path).catch(() => undefined);
  }
  return [{ path, what: `${what}, now ${basename(path)}${TAKEN}` }];
}
