import { basename, dirname } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import { matchGlob, parseGlob } from "../files/glob.ts";
import { isUnder } from "../workspace/roots.ts";
import { foldName, isSecret } from "../workspace/sensitive.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { SimpleWord } from "./simple-line.ts";

/** The place whose files a command may read. */
export interface ReadablePlace {
  readonly workspace: Workspace;
  /** Absolute real paths that are never part of a workspace: the agent's home. */
  readonly apart: readonly string[];
}

/** The use that a program makes of the names that it gets. */
export interface NameUse {
  /** It reads whole folders below them. */
  readonly isDeep: boolean;
  /** A folder among them would lead it to files that nobody named. */
  readonly filesOnly: boolean;
}

/** Entries of a folder that are looked at for one pattern, and names in its place. */
const MOST_ENTRIES = 1000;

/**
 * The names that a word stands for, each of which may be read: it lies in the workspace wherever links lead, and holds no
 * secret.
 *
 * @returns `undefined` when one of them may not be read without asking, or a pattern has too many names
 */
export async function readableNames(
  place: ReadablePlace,
  { text, isPattern }: SimpleWord,
  use: NameUse,
): Promise<readonly string[] | undefined> {
  const names = isPattern ? await expanded(place.workspace, text) : [text];
  for (const name of names ?? []) if (!(await isReadable(place, name, use))) return undefined;
  return names;
}

async function isReadable(
  { workspace, apart }: ReadablePlace,
  name: string,
  { isDeep, filesOnly }: NameUse,
): Promise<boolean> {
  if (name === "-" || name === "/dev/null") return true;
  // After a link, `..` is the parent of its target: the letters do not say where that is.
  if (name === "" || /[^/.][^/]*\/+\.\.(\/|$)/.test(name)) return false;
  try {
    const real = await workspace.realPath(name);
    if (isSecret(real) || isSecret(name) || /^\/(proc|dev|sys)(\/|$)/.test(real)) return false;
    if (filesOnly && (await folderAt(workspace, name)) !== undefined) return false;
    return !isDeep || !apart.some((path) => isUnder(foldName(path), foldName(real)));
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

/** The real path of a folder; `undefined` when there is none of that name. */
export async function folderAt(workspace: Workspace, name: string): Promise<string | undefined> {
  try {
    await using directory = await workspace.openDirectory(name);
    return directory.path;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** The names that fit a pattern in the last part of a path, as the shell would give them. */
async function expanded(workspace: Workspace, text: string): Promise<readonly string[] | undefined> {
  const folder = dirname(text);
  const pattern = basename(text);
  // A name that begins with `-` could be taken for an option.
  if (/[*?[]/.test(folder) || text.startsWith("-") || text.endsWith("/")) return undefined;
  try {
    await using directory = await workspace.openDirectory(folder);
    const entries = await directory.entries();
    if (entries.length > MOST_ENTRIES) return undefined;
    const glob = parseGlob(pattern);
    const fitting = entries.filter(
      ({ name }) => !(name.startsWith(".") && !pattern.startsWith(".")) && matchGlob(glob, [name]),
    );
    if (fitting.length === 0) return [text];
    const before = text.slice(0, text.length - pattern.length);
    return fitting.map(({ name }) => (before === "" ? name.replace(/^-/, "./-") : `${before}${name}`));
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
