import type { FileReason, FileRestore, RestoredFiles } from "../../core/index.ts";
import type { EngineOptions } from "./engine-options.ts";
import { type BytePath, readablePath } from "./file-state.ts";
import type { Forest } from "./forest.ts";
import type { ObjectStore } from "./objects.ts";
import { historiesOf, type PathHistory, planPath, type RootChange } from "./plan-restore.ts";
import { type RestoreTask, restorePaths } from "./restore-files.ts";
import type { StepLog } from "./steps.ts";
import type { KeptTree } from "./tree.ts";

/** The parts of a restorer. */
export interface RestorerParts extends Pick<EngineOptions, "owner" | "now" | "byHandle"> {
  readonly steps: StepLog;
  readonly objects: ObjectStore;
  readonly forest: Forest;
}

/** What is to be done in one tree. */
interface TreePlan {
  readonly tree: KeptTree;
  readonly tasks: readonly RestoreTask[];
  readonly conflicts: readonly FileReason[];
  readonly failed: readonly FileReason[];
}

/** The changes of a session's steps, in the order of the steps. */
export function changesOf(
  steps: StepLog,
  { session, after, turnId }: Pick<FileRestore, "session" | "after" | "turnId">,
): readonly RootChange[] {
  return steps
    .of(session, after)
    .filter(({ turn }) => turnId === undefined || turn === turnId)
    .flatMap(({ id, root }) => steps.changes(id).map((change) => ({ ...change, root })));
}

/** The way back: plans what goes where, keeps what is there now, and puts files back. */
export class Restorer {
  readonly #parts: RestorerParts;

  constructor(parts: RestorerParts) {
    this.#parts = parts;
  }

  preview(wish: FileRestore): RestoredFiles {
    const plans = this.#plan(wish);
    for (const { tree } of plans) tree.save(false);
    return {
      restored: plans.flatMap(({ tree, tasks }) => tasks.map(({ path }) => absolute(tree, path))),
      removed: plans.flatMap(({ tree, tasks }) => removedBy(tree, tasks)),
      conflicts: plans.flatMap(({ conflicts }) => conflicts),
      failed: plans.flatMap(({ failed }) => failed),
    };
  }

  restore(wish: FileRestore): RestoredFiles {
    const ends = this.#plan(wish).map((plan) => this.#carryOut(wish, plan));
    return {
      restored: ends.flatMap(({ restored }) => restored),
      removed: ends.flatMap(({ removed }) => removed),
      conflicts: ends.flatMap(({ conflicts }) => conflicts),
      failed: ends.flatMap(({ failed }) => failed),
    };
  }

  #plan(wish: FileRestore): readonly TreePlan[] {
    const { steps, forest } = this.#parts;
    const byRoot = Map.groupBy(historiesOf(changesOf(steps, wish)), ({ root }) => root);
    return [...byRoot].flatMap(([root, histories]) => {
      const tree = forest.byId(root);
      return tree === undefined ? [] : [this.#planTree(tree, histories, wish)];
    });
  }

  #planTree(tree: KeptTree, histories: readonly PathHistory[], wish: FileRestore): TreePlan {
    const { paths, force = false } = wish;
    const sorted = [...histories].sort((a, b) => (a.path < b.path ? -1 : 1));
    const wanted = sorted.filter(
      ({ path }) => paths === undefined || paths.some((one) => covers(one, absolute(tree, path))),
    );
    tree.lookAt(wanted.map(({ path }) => path).sort());
    const tasks: RestoreTask[] = [];
    const conflicts: FileReason[] = [];
    const failed: FileReason[] = [];
    for (const history of wanted) {
      const now = tree.index.stateOf(history.path);
      const plan = planPath(history, now, force || paths !== undefined);
      const where = absolute(tree, history.path);
      if (plan.action === "conflict") conflicts.push({ path: where, reason: plan.reason });
      if (plan.action === "fail") failed.push({ path: where, reason: plan.reason });
      if (plan.action === "restore") tasks.push({ path: history.path, now: plan.now, target: plan.target });
    }
    return { tree, tasks, conflicts, failed };
  }

  #carryOut(wish: FileRestore, { tree, tasks, conflicts, failed }: TreePlan): RestoredFiles {
    if (tasks.length === 0) return { restored: [], removed: [], conflicts, failed };
    const id = this.#begin(wish, tree, tasks);
    const { objects, byHandle } = this.#parts;
    const { root } = tree.index;
    const ends = restorePaths(tasks, {
      root,
      byHandle,
      objects,
      isUnchanged: (path, stat) => tree.index.isUnchanged(path, stat),
    });
    tree.lookAt(tasks.map(({ path }) => path).sort());
    const { steps, now } = this.#parts;
    tree.save(true, () => {
      for (const { path, now: pre } of tasks)
        steps.note({ step: id, path, pre, post: tree.index.stateOf(path), shared: false });
      steps.close(id, Math.floor(now()));
    });
    const stopped = ends.flatMap(({ path, failed: reason }) =>
      reason === undefined ? [] : [{ path: absolute(tree, path), reason }],
    );
    const bad = new Set(stopped.map(({ path }) => path));
    const isDone = (path: string): boolean => !bad.has(path);
    return {
      restored: tasks.map(({ path }) => absolute(tree, path)).filter(isDone),
      removed: removedBy(tree, tasks).filter(isDone),
      conflicts,
      failed: [...failed, ...stopped],
    };
  }

  /** From here on the files as they are now can be brought back. */
  #begin(wish: FileRestore, tree: KeptTree, tasks: readonly RestoreTask[]): number {
    const { steps, owner, now } = this.#parts;
    let id = 0;
    tree.save(true, () => {
      id = steps.open({
        session: wish.session,
        turn: `rewind_${wish.cursor}`,
        cursor: wish.cursor,
        root: tree.id,
        kind: "rewind",
        label: wish.label,
        at: Math.floor(now()),
        owner,
      });
      for (const task of tasks)
        steps.note({ step: id, path: task.path, pre: task.now, post: task.now, shared: false });
    });
    return id;
  }
}

const absolute = (tree: KeptTree, path: BytePath): string => readablePath(`${tree.index.root}/${path}`);

/** What is to go: it was not there before. */
const removedBy = (tree: KeptTree, tasks: readonly RestoreTask[]): readonly string[] =>
  tasks.flatMap(({ path, target }) => (target.kind === "absent" ? [absolute(tree, path)] : []));

const covers = (wanted: string, path: string): boolean =>
  path === wanted || path.startsWith(wanted.endsWith("/") ? wanted : `${wanted}/`);
