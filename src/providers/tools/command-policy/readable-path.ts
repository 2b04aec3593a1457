import { basename, dirname, join } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import { matchGlob, parseGlob } from "../files/glob.ts";
import { isUnder } from "../workspace/roots.ts";
import { isSecret } from "../workspace/sensitive.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { SimpleWord } from "./simple-line.ts";

/** The place whose files a command may read. */
export interface ReadablePlace {
  readonly workspace: Workspace;
  /** Absolute real paths that are never part of a workspace: the agent's home. */
  readonly apart: readonly string[];
}

/** Entries of a folder that are looked at for one pattern. */
const MOST_ENTRIES = 2000;

/**
 * The names that a word stands for, each of which may be read: it lies in the workspace wherever links lead, and holds no
 * secret.
 *
 * @param isDeep - whole folders are read below it
 * @returns `undefined` when one of them may not be read without asking, or a pattern has too many names
 */
export async function readableNames(
  place: ReadablePlace,
  { text, isPattern }: SimpleWord,
  isDeep: boolean,
): Promise<readonly string[] | undefined> {
  const names = isPattern ? await expanded(place.workspace, text) : [text];
  for (const name of names ?? []) if (!(await isReadable(place, name, isDeep))) return undefined;
  return names;
}

async function isReadable(
  { workspace, apart }: ReadablePlace,
  name: string,
  isDeep: boolean,
): Promise<boolean> {
  if (name === "-" || name === "/dev/null") return true;
  // After a link, `..` is the parent of its target: the letters do not say where that is.
  if (name === "" || /[^/.][^/]*\/+\.\.(\/|$)/.test(name)) return false;
  try {
    const real = await workspace.realPath(name);
    if (isSecret(real) || isSecret(name) || /^\/(proc|dev|sys)(\/|$)/.test(real)) return false;
    return !apart.some((path) => isUnder(real, path) || (isDeep && isUnder(path, real)));
  } catch (error) {
    if (error instanceof HostError) return false;
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
    return fitting.map(({ name }) => (text.includes("/") ? join(folder, name) : name.replace(/^-/, "./-")));
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
