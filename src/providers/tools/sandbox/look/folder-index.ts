import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isUnder } from "../../workspace/roots.ts";
import { foldName, isSecret, isSensitive, SECRET_FOLDERS } from "../../workspace/sensitive.ts";

/** What the walls have to know of one folder. */
interface FolderFacts {
  /** Changes with every change in the folder, and cannot be set by anybody. */
  readonly changed: number;
  /** Whether it was read so soon after a change that another one could have the same time. */
  readonly fresh: boolean;
  readonly folders: readonly string[];
  readonly secrets: readonly string[];
  /** Sockets and pipes: whoever listens there is not inside. */
  readonly doors: readonly string[];
  readonly obeyed: readonly string[];
  /** Whether it has a `.git`, or is a repository without a working tree. */
  readonly repository: "none" | "worktree" | "bare";
}

/** The things in a workspace that the walls treat in a way of their own; absolute paths. */
export interface WorkspaceFacts {
  readonly secrets: readonly string[];
  readonly doors: readonly string[];
  readonly obeyed: readonly string[];
  /** Folders with a `.git` in them. */
  readonly worktrees: readonly string[];
  readonly bare: readonly string[];
  /** Whether there were more folders than are looked at. */
  readonly cut: boolean;
}

/** Folders that are looked at, the ones nearest to the top first, and between two rests. */
const MOST_FOLDERS = 6000;
const BETWEEN_RESTS = 250;
/** Milliseconds within which two changes can have one time. */
const SAME_TIME = 50;
/** Folders of installed packages: what lies in them came from elsewhere, and is much. */
const SKIPPED = new Set(["node_modules", ".venv", "venv", "__pycache__", ".tox", ".hg", ".svn"]);
/** Obeyed by their names, but written by tools all the time. */
const TOOLS_OWN = new Set([
  "site-packages",
  ".gradle",
  ".terraform",
  ".yarn",
  ".bundle",
  ".local",
  ".config",
  ".jupyter",
  ".ipython",
  ".jj",
  ".cache",
  ".settings",
]);

/** The folders of a workspace, read again only where they have changed since the last look. */
export class FolderIndex {
  readonly #known = new Map<string, FolderFacts>();
  readonly #kinds = new Map<string, NameKind>();

  /** @param as - `known`: folders that were read once are taken as they were then */
  async look(roots: readonly string[], as?: "known"): Promise<WorkspaceFacts> {
    const found = { secrets: [], doors: [], obeyed: [], worktrees: [], bare: [] } satisfies Record<
      string,
      string[]
    >;
    const lists: Record<keyof typeof found, string[]> = found;
    const queue = [...roots];
    const seen = new Set<string>();
    for (let at = 0; at < queue.length && at < MOST_FOLDERS; at += 1) {
      const folder = queue[at] ?? "";
      if (seen.has(folder)) continue;
      seen.add(folder);
      const known = as === "known" ? this.#known.get(folder) : undefined;
      const [facts, isNew] = known === undefined ? this.#factsOf(folder) : [known, false];
      // Reading takes a while the first time; others have their turn.
      if (isNew && at % BETWEEN_RESTS === BETWEEN_RESTS - 1) await setImmediate();
      if (facts === undefined) continue;
      const paths = (names: readonly string[]): readonly string[] => names.map((name) => join(folder, name));
      lists.secrets.push(...paths(facts.secrets));
      lists.doors.push(...paths(facts.doors));
      lists.obeyed.push(...paths(facts.obeyed));
      if (facts.repository === "worktree") lists.worktrees.push(folder);
      if (facts.repository === "bare") lists.bare.push(folder);
      queue.push(...paths(facts.folders));
    }
    for (const folder of this.#known.keys())
      if (!seen.has(folder) && roots.some((root) => isUnder(folder, root))) this.#known.delete(folder);
    return { ...lists, cut: queue.length > MOST_FOLDERS };
  }

  #factsOf(folder: string): [facts: FolderFacts | undefined, isNew: boolean] {
    const stat = statSync(folder, { throwIfNoEntry: false });
    const known = this.#known.get(folder);
    if (stat === undefined) return [undefined, false];
    if (known !== undefined && !known.fresh && known.changed === stat.ctimeMs) return [known, false];
    const facts = this.#read(folder, stat.ctimeMs);
    if (facts !== undefined) this.#known.set(folder, facts);
    return [facts, true];
  }

  #read(folder: string, changed: number): FolderFacts | undefined {
    let entries: readonly Dirent[];
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch {
      return undefined; // It is gone, or closed to the person themselves.
    }
    const of = (kind: NameKind): readonly string[] =>
      entries.filter((entry) => this.#kindOf(entry) === kind).map(({ name }) => name);
    const names = new Set(entries.map(({ name }) => name));
    const isBare = ["HEAD", "objects", "refs"].every((name) => names.has(name));
    // An environment of Python is made of installed packages too.
    const isClosed = isBare || names.has("pyvenv.cfg");
    return {
      changed,
      fresh: Date.now() - changed < SAME_TIME,
      folders: isClosed ? [] : of("folder"),
      secrets: isClosed ? [] : of("secret"),
      doors: of("door"),
      obeyed: isClosed ? [] : of("obeyed"),
      repository: isBare ? "bare" : names.has(".git") ? "worktree" : "none",
    };
  }

  #kindOf(entry: Dirent): NameKind {
    if (entry.isSocket() || entry.isFIFO()) return "door";
    const isFolder = entry.isDirectory();
    const key = `${isFolder ? "/" : ""}${entry.name}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const kind = kindOfName(entry.name, isFolder);
    if (this.#kinds.size < 100_000) this.#kinds.set(key, kind);
    return kind;
  }
}

type NameKind = "folder" | "secret" | "door" | "obeyed" | "other";

function kindOfName(name: string, isFolder: boolean): NameKind {
  if (name === ".git" || SKIPPED.has(name)) return "other";
  if (isFolder) {
    const folded = foldName(name);
    if (SECRET_FOLDERS.includes(folded)) return "secret";
    return isSensitive(name) && !TOOLS_OWN.has(folded) && !folded.endsWith(".git") ? "obeyed" : "folder";
  }
  if (isSecret(name)) return "secret";
  return isSensitive(name) ? "obeyed" : "other";
}
