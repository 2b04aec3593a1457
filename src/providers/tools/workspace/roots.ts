import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";

/** The place of a path: its root, and the names from there. A name may still be a link, or `..` after one. */
export interface Place {
  readonly root: string;
  readonly names: readonly string[];
}

/** The scope of a call: the folders that it may use, and the one where relative paths start. */
export interface PathScope {
  readonly cwd: string;
  readonly roots: readonly string[];
  /** Absolute real paths that are never part of a workspace: the agent's home. */
  readonly apart?: readonly string[];
}

/**
 * The absolute path that a call means, by its letters alone: nothing is expanded and no link is followed.
 *
 * @throws HostError `invalid_params` for a path that no system call takes
 */
export function absolutePath(written: string, { cwd }: PathScope): string {
  if (written === "") throw new HostError("invalid_params", "The path is empty; give a file or directory");
  if (written.includes("\0")) throw new HostError("invalid_params", "The path contains a NUL character");
  return resolve(cwd, written);
}

/** Names of a path, without what changes nothing. */
export function namesOf(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** The place of a path by its letters, or `undefined` when it is under no root as the roots were spelled. */
export function spelledPlace(absolute: string, reach: PathScope): Place | undefined {
  return placeUnder(
    absolute,
    outerRoots(reach).map((root) => ({ spelled: root, prefix: root })),
  );
}

/**
 * The place of an absolute path, also when it goes through the real path of a root.
 *
 * @param written - the path for the error, as it stood in the call
 * @throws HostError `outside_workspace`
 */
export async function findPlace(absolute: string, reach: PathScope, written: string): Promise<Place> {
  const spelled = spelledPlace(absolute, reach);
  if (spelled !== undefined) return spelled;
  const real = outerRoots(reach).map(async (root) => ({
    spelled: root,
    prefix: await realpath(root).catch(() => root),
  }));
  const place = placeUnder(absolute, await Promise.all(real));
  if (place === undefined) throw outside(written, reach);
  return place;
}

/** A root inside another one is reached through the outer one, where whoever writes could make it a link. */
function outerRoots({ roots }: PathScope): readonly string[] {
  const absolute = [...new Set(roots.filter((root) => isAbsolute(root)).map((root) => resolve(root)))];
  return absolute.filter((root) => !absolute.some((other) => other !== root && isUnder(root, other)));
}

function placeUnder(
  absolute: string,
  roots: readonly { readonly spelled: string; readonly prefix: string }[],
): Place | undefined {
  const path = resolve(absolute);
  const around = roots.find(({ prefix }) => isUnder(path, prefix));
  return around && { root: around.spelled, names: namesOf(path).slice(namesOf(around.prefix).length) };
}

/**
 * An absolute path that `resolve` would leave as it is. A look at a machine asks for hundreds: V8 would load its optimizer for
 * the loop in `resolve`, which takes 5 MB.
 */
const RESOLVED = /^(?:\/(?!\.\.?(?:\/|$))[^/]+)+$/;

/** Whether a path is a directory or lies in it, by their letters. */
export function isUnder(path: string, directory: string): boolean {
  const base = RESOLVED.test(directory) ? directory : resolve(directory);
  return path === base || path.startsWith(base === "/" ? "/" : `${base}/`);
}

function outside(written: string, { roots }: PathScope): HostError {
  const allowed = roots.length === 1 ? `the workspace ${roots[0]}` : `the workspace (${roots.join(", ")})`;
  return new HostError("outside_workspace", `${written} is outside ${allowed}; use a path inside it`);
}

/** The roots without links, as far as they are there. Each command asks: a look takes less than a way to another thread. */
export const realRoots = (roots: readonly string[]): readonly string[] =>
  roots.map((root) => realPathOf(root) ?? resolve(root));

/** The path without links; `undefined` when it leads nowhere. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Whether a workspace holds everything that a person has, their home folder or the whole disk: then nothing in it is harmless. */
export function isTooWide(roots: readonly string[], home: string): boolean {
  const [realHome = home, ...real] = realRoots([home, ...roots]);
  return real.some((root) => isUnder(realHome, root));
}
