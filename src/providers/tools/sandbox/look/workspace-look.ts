import { lstatSync, realpathSync, type Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isUnder } from "../../workspace/roots.ts";
import type { Disarmed } from "../port.ts";
import { disarmAdded, disarmCommon, disarmFolder, disarmPointer, folderIdentity } from "./disarm.ts";
import { FolderIndex, type WorkspaceFacts } from "./folder-index.ts";
import { orNone } from "./or-none.ts";
import { commonFolder, gitPlaces, linkedFolder, nestedFolders, placesIn, trackedIn } from "./git-places.ts";

/** The parts of a workspace that programs inside meet in a way of their own; absolute real paths. */
export interface WorkspaceWalls {
  /** Folders of git, of a working tree in the workspace, which cannot be moved away. */
  readonly open: readonly string[];
  /** Can only be read. */
  readonly kept: readonly string[];
  /** Files that are covered. */
  readonly covered: readonly string[];
  /** Folders that look empty. */
  readonly emptied: readonly string[];
}

/** The state of a workspace before a command. */
export interface BeforeCommand {
  readonly walls: WorkspaceWalls;
  /** Folders of git, and files that lead to one, by their identity. */
  readonly repositories: ReadonlySet<string>;
  readonly obeyed: ReadonlySet<string>;
}

/** The findings in a workspace after a command. */
export interface AfterCommand {
  readonly disarmed: readonly Disarmed[];
  readonly obeyed: readonly string[];
}

/** Bounds of what is covered and kept: each costs time at every start. */
const MOST_COVERED = 400;
const MOST_KEPT = 200;
const MOST_TOLD = 20;
const MORE_SECRETS =
  "The workspace has more folders or secrets than are looked at: some files with secrets may be readable inside.";
const MORE_OBEYED =
  "The workspace has more files that programs outside obey than are kept: some of them can be changed from inside, which is told after the command.";

/** The look at a workspace before and after each command. */
export class WorkspaceLook {
  readonly #index = new FolderIndex();
  readonly #roots: readonly string[];
  /** Folders that can only be read, in which secrets are covered too. */
  readonly #readable: readonly string[];
  #gaps: readonly string[] = [];

  /** @param roots - real paths, as those of `readable` */
  constructor(roots: readonly string[], readable: readonly string[] = []) {
    this.#roots = roots;
    this.#readable = readable;
  }

  /** What could not be looked at, a sentence each. */
  get gaps(): readonly string[] {
    return this.#gaps;
  }

  /** @param as - `known`: what earlier looks have seen is not looked at again, and may be otherwise by now */
  async before(as?: "known"): Promise<BeforeCommand> {
    const facts = await this.#index.look([...this.#roots, ...this.#readable], as);
    const [open, kept] = this.#gitWalls(facts);
    const { files, folders: emptied } = coveredIn(facts, [...this.#roots, ...this.#readable]);
    const inRoots = facts.obeyed.filter((path) => this.#roots.some((root) => isUnder(path, root)));
    const obeyed = ownFiles(inRoots);
    const hasMoreSecrets = facts.cut || files.length > MOST_COVERED || emptied.length > MOST_COVERED;
    this.#gaps = [
      ...(hasMoreSecrets ? [MORE_SECRETS] : []),
      ...(facts.cut || obeyed.length > MOST_KEPT ? [MORE_OBEYED] : []),
    ];
    const folders = gitFolders(facts);
    const known = identitiesOf([...folders, ...folders.flatMap(nestedFolders)]);
    return {
      walls: {
        open,
        kept: [...kept, ...obeyed.slice(0, MOST_KEPT)],
        covered: files.slice(0, MOST_COVERED),
        emptied: emptied.slice(0, MOST_COVERED),
      },
      repositories: known,
      obeyed: new Set(withIdentities(facts.obeyed).keys()),
    };
  }

  async after({ walls, repositories, obeyed }: BeforeCommand): Promise<AfterCommand> {
    const facts = await this.#index.look(this.#roots);
    const disarmed = await this.#disarm(facts, repositories, new Set(walls.kept));
    const left = withIdentities(facts.obeyed);
    const told = [...left].filter(([key]) => !obeyed.has(key)).map(([, path]) => path);
    return { disarmed, obeyed: told.slice(0, MOST_TOLD) };
  }

  /** Disarms the repositories that are not among the known ones. */
  async disarm(known: ReadonlySet<string>): Promise<readonly Disarmed[]> {
    return await this.#disarm(await this.#index.look(this.#roots), known);
  }

  async #disarm(
    facts: WorkspaceFacts,
    repositories: ReadonlySet<string>,
    kept?: ReadonlySet<string>,
  ): Promise<readonly Disarmed[]> {
    const disarmed: Disarmed[] = [];
    for (const folder of gitFolders(facts)) {
      const found = await lstat(folder).catch(() => undefined);
      if (found === undefined) continue;
      const identity = folderIdentity(folder) ?? "";
      if (found.isDirectory()) {
        const all = [folder, ...nestedFolders(folder)];
        disarmed.push(...(await disarmNew(all, repositories)));
        if (kept !== undefined) disarmed.push(...(await disarmOld(all, repositories, kept)));
        disarmed.push(...(await disarmCommon(folder)));
      } else if (!repositories.has(identity))
        disarmed.push(...(await this.#judgePointer(folder, repositories)));
    }
    return disarmed;
  }

  #gitWalls(facts: WorkspaceFacts): [open: readonly string[], kept: readonly string[]] {
    const trees = facts.worktrees.filter((tree) => this.#roots.some((root) => isUnder(tree, root)));
    const places = [
      ...trees.map((tree) => gitPlaces(tree, this.#roots)),
      ...facts.bare.map((folder) => placesIn(folder)),
    ];
    return [places.flatMap(({ open }) => open), places.flatMap(({ kept }) => kept)];
  }

  /** A new `.git` file is git's own when it leads to a module, or to a linked tree, of a repository of the workspace. */
  async #judgePointer(path: string, known: ReadonlySet<string>): Promise<readonly Disarmed[]> {
    const folder = linkedFolder(dirname(path));
    if (folder === undefined || !this.#isInRoots(folder)) return await disarmPointer(path);
    const common = orNone(() => commonFolder(folder)) ?? "";
    if (common !== folder && common !== dirname(dirname(folder))) return await disarmPointer(path);
    return await disarmNew([folder, common], known);
  }

  #isInRoots(path: string): boolean {
    return this.#roots.some((root) => isUnder(path, root));
  }
}

/** Disarms the folders that were not there before, by whatever name. */
async function disarmNew(
  folders: readonly string[],
  known: ReadonlySet<string>,
): Promise<readonly Disarmed[]> {
  const done: Disarmed[] = [];
  for (const folder of new Set(folders)) {
    if (!known.has(folderIdentity(folder) ?? "")) done.push(...(await disarmFolder(folder)));
  }
  return done;
}

/** Disarms what is new in the folders that were there before. */
async function disarmOld(
  folders: readonly string[],
  known: ReadonlySet<string>,
  kept: ReadonlySet<string>,
): Promise<readonly Disarmed[]> {
  const done: Disarmed[] = [];
  for (const folder of folders) {
    if (known.has(folderIdentity(folder) ?? "")) done.push(...(await disarmAdded(folder, kept)));
  }
  return done;
}

const identitiesOf = (paths: readonly string[]): ReadonlySet<string> =>
  new Set(paths.map(folderIdentity).filter((each) => each !== undefined));

/** Paths by their name and what is there: another thing under the same name is new. */
const withIdentities = (paths: readonly string[]): ReadonlyMap<string, string> =>
  new Map(paths.map((path) => [`${path} ${folderIdentity(path)}`, path] as const));

const gitFolders = ({ worktrees, bare }: WorkspaceFacts): readonly string[] => [
  ...worktrees.map((tree) => join(tree, ".git")),
  ...bare,
];

/** The secrets and doors, without what git keeps; a link stands for what it leads to in the workspace. */
function coveredIn(
  { secrets, doors, worktrees }: WorkspaceFacts,
  roots: readonly string[],
): { files: readonly string[]; folders: readonly string[] } {
  const readers = new Map<string, (path: string) => boolean>();
  const isTracked = (path: string): boolean => {
    const tree = worktrees.filter((each) => isUnder(path, each)).toSorted((a, b) => b.length - a.length)[0];
    if (tree === undefined) return false;
    const tracked = readers.get(tree) ?? trackedIn(tree);
    readers.set(tree, tracked);
    return tracked(path);
  };
  const files: string[] = [...doors];
  const folders: string[] = [];
  for (const path of secrets) {
    const real = orNone(() => realpathSync.native(path));
    if (real === undefined || !roots.some((root) => isUnder(real, root)) || isTracked(real)) continue;
    const stat = found(real);
    if (stat?.isDirectory() === true) folders.push(real);
    else if (stat !== undefined) files.push(real);
  }
  return { files: [...new Set(files)], folders: [...new Set(folders)] };
}

/** Those that are no links: a link can be changed, but what it leads to is looked at by its own name. */
const ownFiles = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => {
    const stat = found(path);
    return stat?.isFile() === true || stat?.isDirectory() === true;
  });

const found = (path: string): Stats | undefined => orNone(() => lstatSync(path, { throwIfNoEntry: false }));
