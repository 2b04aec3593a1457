import type {
  ChangeMark,
  FilePast,
  FileRestore,
  PlannedChange,
  RestoredFiles,
  TurnFiles,
} from "../../core/index.ts";
import { readablePath } from "./file-state.ts";
import type { EngineOptions } from "./engine-options.ts";
import { openCheckpointDatabase } from "./database.ts";
import { Forest } from "./forest.ts";
import { ObjectStore } from "./objects.ts";
import { isOwnerAlive } from "./owner.ts";
import { Restorer } from "./restorer.ts";
import { Retention } from "./retention.ts";
import { StepLog, type Step } from "./steps.ts";
import { StepWatch } from "./step-watch.ts";
import type { KeptTree } from "./tree.ts";
import { foldersAbove } from "./restore-files.ts";
import { TurnSummaries } from "./turn-summaries.ts";
import { type PastParts, pastDiff } from "./patches.ts";

/** The keeper of files before they change, on one database. Everything here waits for the disk: it has a thread of its own. */
export class CheckpointEngine {
  readonly #options: EngineOptions;
  readonly #database;
  readonly #steps: StepLog;
  readonly #objects: ObjectStore;
  readonly #forest: Forest;
  readonly #watch: StepWatch;
  readonly #restorer: Restorer;
  readonly #retention: Retention;
  readonly #summaries: TurnSummaries;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { home, now, maxBytes } = options;
    this.#database = openCheckpointDatabase(home);
    this.#steps = new StepLog(this.#database);
    this.#objects = new ObjectStore(this.#database);
    this.#retention = new Retention(this.#database, maxBytes);
    this.#forest = new Forest({ ...options, database: this.#database });
    this.#watch = new StepWatch(this.#steps, options);
    this.#restorer = new Restorer({
      ...options,
      steps: this.#steps,
      objects: this.#objects,
      forest: this.#forest,
      now,
    });
    this.#summaries = new TurnSummaries(this.#database, this.#past);
  }

  /** Goes on with the first look at a session's trees, one slice; `true` when nothing is left to read. */
  readMore(roots: readonly string[]): boolean {
    return this.#forest.looked(roots).every((tree) => tree.readMore());
  }

  before(change: PlannedChange, running: readonly string[]): ChangeMark {
    return change.paths === undefined
      ? this.#beforeAnything(change, running)
      : this.#beforeEdit(change, change.paths);
  }

  after(mark: ChangeMark, goesOn: boolean): void {
    for (const id of mark) {
      const step = this.#steps.get(id);
      const tree = step && this.#forest.byId(step.root);
      if (step === undefined || tree === undefined) continue;
      if (step.kind === "edit") this.#watch.endNamed(tree, step);
      else this.#endCommand(tree, step, goesOn);
      this.#retention.keepWithin(step.session);
    }
  }

  turns(session: string): Promise<readonly TurnFiles[]> {
    this.#catchUp(session);
    return this.#summaries.of(session);
  }

  diff(past: FilePast, limit: number): Promise<string> {
    this.#catchUp(past.session);
    return pastDiff(past, limit, this.#past);
  }

  preview(wish: FileRestore): RestoredFiles {
    this.#catchUp(wish.session);
    return this.#restorer.preview(wish);
  }

  restore(wish: FileRestore): RestoredFiles {
    this.#catchUp(wish.session);
    const end = this.#restorer.restore(wish);
    this.#retention.keepWithin(wish.session);
    return end;
  }

  copy(from: string, to: string, upTo: number): void {
    this.#database.write(true, () => this.#steps.copy(from, to, upTo));
  }

  forget(session: string): void {
    this.#database.write(true, () => this.#steps.forget(session));
    this.#retention.collect();
  }

  /** Tells other processes, and its own next life, that its steps are at work. */
  beat(): void {
    this.#steps.beat(this.#options.owner, this.#options.now());
  }

  get #past(): PastParts {
    return {
      steps: this.#steps,
      objects: this.#objects,
      rootOf: (id) => this.#forest.byId(id)?.index.root ?? "",
    };
  }

  /** Bytes of all that is kept. */
  get stored(): number {
    return this.#objects.stored;
  }

  close(): void {
    this.#forest.close();
    this.#database.close();
  }

  #beforeEdit(change: PlannedChange, paths: readonly string[]): ChangeMark {
    const marks = new Map<KeptTree, string[]>();
    for (const absolute of paths) {
      const found = this.#forest.find(change.roots, absolute);
      if (found === undefined) continue;
      const all = [...foldersAbove(found.path), found.path];
      marks.set(found.tree, [...(marks.get(found.tree) ?? []), ...all]);
    }
    return [...marks].map(([tree, all]) => {
      this.#recover(tree);
      return this.#watch.beginNamed(tree, change, [...new Set(all)]);
    });
  }

  #beforeAnything(change: PlannedChange, running: readonly string[]): ChangeMark {
    return this.#forest.looked(change.roots).map((tree) => {
      this.#recover(tree);
      return this.#watch.beginCommand(tree, change, running);
    });
  }

  #endCommand(tree: KeptTree, step: Step, goesOn: boolean): void {
    const { pending } = tree;
    const notes = (): readonly string[] => {
      const leftOut = tree.leftOut().map(readablePath);
      return [
        ...(pending === 0
          ? []
          : [`${pending} files had not been read when this ran: what it changed in them is not kept.`]),
        ...(leftOut.length === 0 ? [] : [`Not covered, as ignored by git or by rule: ${leftOut.join(", ")}`]),
      ];
    };
    this.#watch.endCommand(tree, step, { goesOn, notes });
  }

  /** Ends the steps of processes that died, and sees what background processes did. */
  #catchUp(session: string): void {
    const roots = new Set(this.#steps.of(session).map(({ root }) => root));
    for (const root of roots) {
      const tree = this.#forest.byId(root);
      if (tree !== undefined) this.#recover(tree);
    }
  }

  #recover(tree: KeptTree): void {
    const open = this.#steps.openIn(tree.id);
    const now = this.#options.now();
    const dead = open.filter(({ owner, beat }) => owner !== undefined && !isOwnerAlive(owner, { beat, now }));
    for (const step of dead) this.#watch.endDead(tree, step);
    const atWork = open.some(({ kind }) => kind === "background" || kind === "command");
    if (atWork && dead.length === 0) this.#watch.lookAround(tree);
  }
}
