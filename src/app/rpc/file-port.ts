import { open, readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { imageTypeOf } from "../../shared/content/image-header.ts";
import { listTree, type Machine } from "../../providers/tools/index.ts";
import { LARGEST_ATTACHED_IMAGE } from "../../rpc/handlers/attachments/images.ts";
import type { FilePort } from "../../rpc/ports.ts";
import { readTextStart } from "./read-text.ts";
import { systemReason } from "../config/home.ts";

const MOST_LISTED = 4000;
const MOST_WALKED = 100_000;
/** Milliseconds that a walk's result serves the next letters that are typed, and times that it took: a large tree is walked less often. */
const WALK_KEPT = 5000;
const WALK_KEPT_TIMES = 20;
/** Milliseconds after which a walk of a very slow disk is given up. */
const WALK_LIMIT = 5000;

interface FilePortParts {
  readonly machine: Machine;
  readonly clock: Clock;
  /** Absolute real paths that no walk enters: the homes of agents. */
  readonly apart: readonly string[];
}

/** Files of the machine, for the person at a client of the gateway. */
export function filePort({ machine, clock, apart }: FilePortParts): FilePort {
  return {
    async look(path, cwd) {
      const absolute = absolutePath(path, cwd, machine.env["HOME"] ?? homedir());
      const found = await stat(absolute).catch(() => undefined);
      if (found?.isDirectory() === true) return { path: absolute, kind: "directory" };
      return found?.isFile() === true ? { path: absolute, kind: "file" } : undefined;
    },
    readImage,
    readText: readTextStart,
    async list(directory) {
      const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
      return entries
        .slice(0, MOST_LISTED)
        .map((entry) => ({ name: entry.name, directory: entry.isDirectory() }));
    },
    walk: keptWalks(clock, (folder) => {
      const signal = AbortSignal.timeout(WALK_LIMIT);
      const options = { platform: machine.platform, apart, most: MOST_WALKED, signal };
      return listTree(folder, options).catch(() => []);
    }),
    branch: oneAtATime(branchOf),
  };
}

/** Keeps the last walk: letters are typed faster than a large tree is read, and all of them ask. */
function keptWalks(
  clock: Clock,
  walk: (folder: string) => Promise<readonly string[]>,
): (folder: string) => Promise<readonly string[]> {
  let kept:
    | { readonly folder: string; until: number; readonly paths: Promise<readonly string[]> }
    | undefined;
  return (folder) => {
    const began = clock.monotonic();
    if (kept?.folder === folder && began < kept.until) return kept.paths;
    const fresh = { folder, until: Infinity, paths: walk(folder) };
    kept = fresh;
    return fresh.paths.finally(() => {
      const now = clock.monotonic();
      fresh.until = now + Math.max(WALK_KEPT, WALK_KEPT_TIMES * (now - began));
    });
  };
}

/**
 * Lets one look at a folder run at a time. Whoever asks meanwhile shares the next one, which sees what has changed since: 200
 * sessions that are prompted at once in one folder need a few looks, not 200.
 */
function oneAtATime(look: (folder: string) => Promise<string>): (folder: string) => Promise<string> {
  const running = new Map<string, { readonly now: Promise<string>; next?: Promise<string> }>();
  const begin = (folder: string): Promise<string> => {
    const now = look(folder).finally(() => {
      if (running.get(folder)?.next === undefined) running.delete(folder);
    });
    running.set(folder, { now });
    return now;
  };
  return (folder) => {
    const look = running.get(folder);
    if (look === undefined) return begin(folder);
    look.next ??= look.now.then(() => begin(folder));
    return look.next;
  };
}

function absolutePath(path: string, cwd: string, home: string): string {
  if (path === "~") return home;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path);
}

/** Reads an image. @throws HostError `not_found`, `limit_exceeded`, or `unsupported_content_type` for another file */
export async function readImage(
  path: string,
): Promise<{ path: string; bytes: Uint8Array; mediaType: string }> {
  const bytes = await readUpTo(path, LARGEST_ATTACHED_IMAGE);
  const mediaType = imageTypeOf(bytes);
  if (mediaType !== undefined) return { path, bytes, mediaType };
  throw new HostError("unsupported_content_type", `${path} is no PNG, JPEG, GIF, WebP or BMP image.`);
}

async function readUpTo(path: string, largest: number): Promise<Uint8Array> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    if (size > largest) throw new HostError("limit_exceeded", `${path} is larger than 25 MB.`);
    return await file.readFile();
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    throw new HostError("not_found", `Cannot read ${path}: ${systemReason(cause)}.`, { cause });
  }
}

/** The branch that the nearest repository above a folder is on; a commit's first letters when it is on none. */
async function branchOf(directory: string): Promise<string> {
  for (let folder = directory; ; folder = dirname(folder)) {
    const head = await headOf(join(folder, ".git"));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]?.trim() ?? head.slice(0, 8);
    if (dirname(folder) === folder) return "";
  }
}

async function headOf(git: string): Promise<string | undefined> {
  const found = await stat(git).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return await readFile(join(git, "HEAD"), "utf8").catch(() => undefined);
  // A worktree has a file that names its own folder in the repository.
  const pointer = await readFile(git, "utf8").catch(() => "");
  const named = /^gitdir: (.+)$/m.exec(pointer)?.[1]?.trim();
  if (named === undefined) return undefined;
  return await readFile(join(resolve(dirname(git), named), "HEAD"), "utf8").catch(() => undefined);
}
