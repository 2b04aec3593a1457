import { type BytePath, type FileState, isKept, isSameState } from "./file-state.ts";
import type { StepChange } from "./steps.ts";

/** The history of one path in steps, from the first to the last. */
export interface PathHistory {
  readonly path: BytePath;
  readonly root: number;
  readonly first: FileState;
  readonly last: FileState;
  /** Somebody else changed it in between. */
  readonly broken: boolean;
  /** Somebody else may have made one of the changes. */
  readonly shared: boolean;
}

/** A change in the tree of a root. */
export type RootChange = StepChange & { readonly root: number };

/** Joins changes by path, in the order in which they began. */
export function historiesOf(changes: readonly RootChange[]): readonly PathHistory[] {
  const byPath = Map.groupBy(
    [...changes].sort((a, b) => a.since - b.since),
    ({ root, path }) => `${root}:${path}`,
  );
  return [...byPath.values()].flatMap((chain) => {
    const [first] = chain;
    if (first === undefined) return [];
    const last = chain.reduce((newest, change) => (change.until > newest.until ? change : newest));
    const broken = chain.some(({ pre }, at) => {
      const before = chain[at - 1];
      return before !== undefined && !isSameState(before.post ?? before.pre, pre);
    });
    return {
      path: first.path,
      root: first.root,
      first: first.pre,
      last: last.post ?? last.pre,
      broken,
      shared: chain.some(({ shared }) => shared),
    };
  });
}

/** The plan for a path. */
export type PathPlan =
  | { readonly action: "restore"; readonly now: FileState; readonly target: FileState }
  | { readonly action: "nothing" }
  | { readonly action: "conflict"; readonly reason: string }
  | { readonly action: "fail"; readonly reason: string };

const OMISSIONS = {
  large: "it is larger than 20 MB",
  unreadable: "it could not be read",
  cap: "there was no room left to keep it (checkpoints.max_bytes)",
  late: "it was changed before it had been read",
} as const;

/** Why a state cannot be put back, as the end of a sentence. */
export function whyNotKept(state: FileState): string | undefined {
  if (isKept(state)) return undefined;
  return state.kind === "file" ? OMISSIONS[state.why ?? "unreadable"] : "it is no ordinary file";
}

/** Decides about one path: what others changed stays, unless they were asked about it. */
export function planPath(history: PathHistory, now: FileState, force: boolean): PathPlan {
  const { first: target, last } = history;
  if (isSameState(now, target)) return { action: "nothing" };
  const missing = whyNotKept(target);
  if (missing !== undefined) return { action: "fail", reason: `what it was before is not kept: ${missing}` };
  if (now.kind === "special") return { action: "fail", reason: "a device, pipe or socket is in its place" };
  if (!force) {
    const reason = conflictOf(history, now, last);
    if (reason !== undefined) return { action: "conflict", reason };
  }
  return { action: "restore", now, target };
}

function conflictOf({ broken, shared }: PathHistory, now: FileState, last: FileState): string | undefined {
  if (!isSameState(now, last)) return "it was changed since by somebody else";
  if (broken) return "somebody else changed it in between";
  if (shared) return "somebody else, or a process in the background, may have changed it";
  const lost = whyNotKept(now);
  return lost === undefined ? undefined : `what it is now could not be kept: ${lost}`;
}
