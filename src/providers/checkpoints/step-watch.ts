import type { PlannedChange } from "../../core/index.ts";
import type { BytePath } from "./file-state.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { Step, StepKind, StepLog } from "./steps.ts";
import type { KeptTree } from "./tree.ts";
import type { SeenChange } from "./tree-look.ts";

/** After a process died, its commands may have gone on for this long. */
const AFTERLIFE_MS = 3000;

/** The beginning and the end of steps: which changes of a tree are whose. */
export class StepWatch {
  readonly #steps: StepLog;
  readonly #options: Pick<EngineOptions, "owner" | "now">;

  constructor(steps: StepLog, options: Pick<EngineOptions, "owner" | "now">) {
    this.#steps = steps;
    this.#options = options;
  }

  /** Begins a change of named paths: what they are now is kept. */
  beginNamed(tree: KeptTree, change: PlannedChange, paths: readonly BytePath[]): number {
    const known = new Set(paths.filter((path) => tree.index.get(path) !== undefined));
    const outside = tree.lookAt(paths).filter(({ path }) => known.has(path));
    let id = 0;
    tree.save(true, () => {
      this.#give(tree, outside, undefined);
      id = this.#open(tree, change, "edit");
      for (const path of paths) {
        const pre = tree.index.stateOf(path);
        this.#steps.note({ step: id, path, pre, post: pre, shared: false });
      }
    });
    return id;
  }

  endNamed(tree: KeptTree, step: Step): void {
    tree.lookAt(this.#steps.changes(step.id).map(({ path }) => path));
    tree.save(true, () => {
      for (const { path, pre } of this.#steps.changes(step.id))
        this.#steps.note({ step: step.id, path, pre, post: tree.index.stateOf(path), shared: false });
      this.#steps.close(step.id, this.#options.now());
    });
  }

  /** @param running - sessions with processes in the background */
  beginCommand(tree: KeptTree, change: PlannedChange, running: readonly string[]): number {
    const outside = tree.look();
    let id = 0;
    tree.save(true, () => {
      this.#give(tree, outside, undefined);
      for (const step of this.#steps.openIn(tree.id))
        if (this.#isOwn(step) && step.kind === "background" && !running.includes(step.session))
          this.#steps.close(step.id, this.#options.now(), this.#steps.notes(step.id));
      id = this.#open(tree, change, "command");
    });
    return id;
  }

  endCommand(
    tree: KeptTree,
    step: Step,
    { goesOn, notes }: { readonly goesOn: boolean; readonly notes: () => readonly string[] },
  ): void {
    const changes = tree.look();
    tree.save(true, () => {
      const shared = this.#others(tree, step).length > 0;
      for (const change of changes) this.#attribute(step, change, shared);
      this.#give(tree, changes, step);
      if (goesOn) this.#steps.keepOpen(step.id);
      else this.#steps.close(step.id, this.#options.now(), changes.length === 0 ? [] : notes());
    });
  }

  /** Ends a step whose process died: what changed while it lived is its own, what came later may be anybody's. */
  endDead(tree: KeptTree, step: Step): void {
    const named = step.kind === "edit" || step.kind === "rewind";
    if (named) return this.endNamed(tree, step);
    const changes = tree.look();
    const until = step.beat + AFTERLIFE_MS;
    tree.save(true, () => {
      const uncertain = step.kind === "background" || this.#others(tree, step).length > 0;
      for (const change of changes) this.#attribute(step, change, uncertain || change.at > until);
      this.#give(tree, changes, step);
      this.#steps.close(step.id, this.#options.now(), [
        "The program ended while this ran: what changed afterwards may be somebody else's.",
      ]);
    });
  }

  /** Sees what changed outside of any command. */
  lookAround(tree: KeptTree): void {
    const outside = tree.look();
    tree.save(true, () => this.#give(tree, outside, undefined));
  }

  #attribute(step: Step, { path, old, new: now }: SeenChange, shared: boolean): void {
    if (this.#steps.isExplained(step, path, now)) return;
    this.#steps.note({ step: step.id, path, pre: old, post: now, shared });
  }

  /** Commands of other sessions that are at work in the tree. */
  #others(tree: KeptTree, step: Step): readonly Step[] {
    return this.#steps
      .openIn(tree.id)
      .filter(({ session, kind }) => session !== step.session && kind === "command");
  }

  /**
   * Gives changes to those who may have made them: commands that run at this moment, the oldest of each session, and when
   * there are none, processes in the background.
   *
   * @param by - the command that was seen to make them
   */
  #give(tree: KeptTree, changes: readonly SeenChange[], by: Step | undefined): void {
    if (changes.length === 0) return;
    const open = this.#steps.openIn(tree.id).filter(({ session }) => session !== by?.session);
    const commands = open.filter(
      ({ kind, session }, at) =>
        kind === "command" &&
        open.findIndex((other) => other.kind === kind && other.session === session) === at,
    );
    const inBackground = open.filter(({ kind }) => kind === "background");
    const takers = commands.length > 0 || by !== undefined ? commands : inBackground;
    const isCertain = commands.length === 1 && by === undefined;
    for (const step of takers) for (const change of changes) this.#attribute(step, change, !isCertain);
  }

  #isOwn({ owner }: Step): boolean {
    return owner === this.#options.owner;
  }

  #open(tree: KeptTree, change: PlannedChange, kind: StepKind): number {
    const { session, turnId, cursor, label } = change;
    const { owner, now } = this.#options;
    return this.#steps.open({
      session,
      turn: turnId,
      cursor,
      root: tree.id,
      kind,
      label,
      at: Math.floor(now()),
      owner,
    });
  }
}
