import type { Stats } from "node:fs";
import { systemErrorCode } from "../../shared/errors/system-error.ts";
import { messageOf } from "../../shared/errors/host-error.ts";
import { type BytePath, type FileState, nameOf, parentOf } from "./file-state.ts";
import { HeldFolder } from "./held-folder.ts";
import type { ObjectStore } from "./objects.ts";

/** One path that is to be put back. */
export interface RestoreTask {
  readonly path: BytePath;
  readonly now: FileState;
  readonly target: FileState;
}

/** The end of one task. */
export interface TaskEnd {
  readonly path: BytePath;
  /** Absent when it was done. */
  readonly failed?: string;
}

/** The place where tasks are done. */
export interface RestorePlace {
  readonly root: BytePath;
  readonly byHandle: boolean;
  readonly objects: ObjectStore;
  /** Whether an entry is what it was when the plan was made. */
  readonly isUnchanged: (path: BytePath, stat: Stats) => boolean;
}

/** The owner may read, write and enter. */
const OWNER = 0o700;

const depthOf = (path: BytePath): number => path.split("/").length;

/**
 * Puts paths back, each at once: first goes what must not be there or is of another kind, the deepest first; then come
 * folders, then what lies in them.
 */
export function restorePaths(tasks: readonly RestoreTask[], place: RestorePlace): readonly TaskEnd[] {
  const ends = new Map<BytePath, TaskEnd>();
  const run = (chosen: readonly RestoreTask[], work: (task: RestoreTask) => void): void => {
    for (const task of chosen) {
      if (ends.get(task.path)?.failed !== undefined) continue;
      ends.set(
        task.path,
        endOf(task, () => work(task)),
      );
    }
  };
  const needed = new Set(
    tasks.flatMap(({ target, path }) => (target.kind === "absent" ? [] : foldersAbove(path))),
  );
  // A folder is to go, and something is to be put back in it: both cannot be.
  for (const { path, target } of tasks)
    if (target.kind !== "directory" && needed.has(path)) ends.set(path, { path, failed: HOLDS_OTHERS });
  const removed = tasks.filter(goesFirst);
  const folders = tasks.filter(({ target }) => target.kind === "directory");
  const leaves = tasks.filter(({ target }) => target.kind === "file" || target.kind === "symlink");
  const deepestFirst = (a: RestoreTask, b: RestoreTask): number => depthOf(b.path) - depthOf(a.path);
  run(removed.sort(deepestFirst), (task) => remove(task, place));
  run(
    [...folders].sort((a, b) => -deepestFirst(a, b)),
    (task) => makeFolder(task, place),
  );
  run(leaves, (task) => put(task, place));
  const closed = folders.filter(
    ({ target }) => target.kind === "directory" && (target.mode & OWNER) !== OWNER,
  );
  run(closed.sort(deepestFirst), (task) => closeFolder(task, place));
  return [...ends.values()];
}

/** A leaf takes a leaf's place at once; all else has to make room. */
function goesFirst({ now, target }: RestoreTask): boolean {
  if (now.kind === "absent" || now.kind === target.kind) return false;
  return target.kind === "absent" || target.kind === "directory" || now.kind === "directory";
}

function endOf({ path }: RestoreTask, work: () => void): TaskEnd {
  try {
    work();
    return { path };
  } catch (thrown) {
    return { path, failed: reasonOf(thrown) };
  }
}

const HOLDS_OTHERS = "the folder holds other files, which stay";

const REASONS: Readonly<Record<string, string>> = {
  ENOTEMPTY: HOLDS_OTHERS,
  EEXIST: HOLDS_OTHERS,
  ENOENT: "its folder is not there any more",
  ENOTDIR: "its folder is not there any more",
  ELOOP: "its folder is a link now",
  EACCES: "permission denied",
  EPERM: "the system does not permit it",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
};

function reasonOf(thrown: unknown): string {
  const code = systemErrorCode(thrown);
  return (code === undefined ? undefined : REASONS[code]) ?? code ?? messageOf(thrown);
}

/** Somebody changed it in the moment before it was put back. */
const CHANGED_NOW = "it is being changed by somebody else";

function held({ root, byHandle }: RestorePlace, path: BytePath): HeldFolder {
  return new HeldFolder(root, path, byHandle);
}

function checkUnchanged(folder: HeldFolder, { path, now }: RestoreTask, place: RestorePlace): void {
  const stat = folder.stat();
  if (now.kind === "absent" && stat !== undefined) throw new Error(CHANGED_NOW);
  if (now.kind === "absent" || now.kind === "directory") return;
  if (stat === undefined || !place.isUnchanged(path, stat)) throw new Error(CHANGED_NOW);
}

function remove(task: RestoreTask, place: RestorePlace): void {
  using folder = held(place, task.path);
  checkUnchanged(folder, task, place);
  if (task.now.kind === "directory") folder.removeFolder();
  else folder.remove();
}

function makeFolder({ path, now, target }: RestoreTask, place: RestorePlace): void {
  if (target.kind !== "directory") return;
  using folder = held(place, path);
  // Open while its files are put back.
  if (now.kind === "directory") folder.chmodFolder(target.mode | OWNER);
  else folder.makeFolder(target.mode | OWNER);
}

function closeFolder({ path, target }: RestoreTask, place: RestorePlace): void {
  if (target.kind !== "directory") return;
  using folder = held(place, path);
  folder.chmodFolder(target.mode);
}

function put(task: RestoreTask, place: RestorePlace): void {
  const { target, now, path } = task;
  using folder = held(place, path);
  // A folder that was there has been removed just before.
  const isGone = now.kind === "absent" || now.kind === "directory";
  if (isGone && folder.stat() !== undefined) throw new Error(CHANGED_NOW);
  if (!isGone) checkUnchanged(folder, task, place);
  if (target.kind === "symlink") return folder.link(target.target);
  if (target.kind !== "file" || target.hash === null) return;
  const bytes = place.objects.get(target.hash);
  if (bytes === undefined) throw new Error(`the kept content of ${nameOf(path)} is damaged`);
  folder.write(bytes, target.mode);
}

/** The folders above a path that would have to be there, the highest first. */
export function foldersAbove(path: BytePath): readonly BytePath[] {
  const above: BytePath[] = [];
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) above.unshift(folder);
  return above;
}
