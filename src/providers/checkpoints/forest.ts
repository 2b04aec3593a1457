import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Database } from "../store/sqlite/database.ts";
import { type BytePath, bytePath } from "./file-state.ts";
import { SweepHelper } from "./sweep-helper.ts";
import { blobPath, KeptTree } from "./tree.ts";

/** The options of a forest. */
export interface ForestOptions {
  readonly database: Database;
  readonly now: () => number;
  /** Bytes that the contents of one tree may take. */
  readonly maxBytes: number;
  /** Absolute real paths that are part of no workspace. */
  readonly apart: readonly string[];
  readonly byHandle: boolean;
  /** Absolute real path. */
  readonly personHome: string;
}

/** A place in a tree. */
export interface TreePath {
  readonly tree: KeptTree;
  readonly path: BytePath;
}

/** The trees of this process by their roots. */
export class Forest {
  readonly helper = new SweepHelper();
  readonly #options: ForestOptions;
  readonly #trees = new Map<BytePath, KeptTree>();

  constructor(options: ForestOptions) {
    this.#options = options;
  }

  /** The trees of a session's roots, each once; a root inside another one belongs to that. */
  of(roots: readonly string[]): readonly KeptTree[] {
    const real = [...new Set(roots.map(realPath).filter((root) => root !== undefined))];
    const outer = real.filter((root) => !real.some((other) => other !== root && isBelow(root, other)));
    return outer.map((root) => this.#tree(root));
  }

  /** Those of them that are looked at as a whole. */
  looked(roots: readonly string[]): readonly KeptTree[] {
    return this.of(roots).filter(({ index }) => !this.#isTooWide(index.root));
  }

  /** Where an absolute path lies; `undefined` when it lies in none of the roots. */
  find(roots: readonly string[], path: string): TreePath | undefined {
    const absolute = bytePath(realOrSpelled(path));
    for (const tree of this.of(roots)) {
      const { root } = tree.index;
      const prefix = root === "/" ? "/" : `${root}/`;
      if (absolute.startsWith(prefix)) return { tree, path: absolute.slice(prefix.length) };
    }
    return undefined;
  }

  byId(id: number): KeptTree | undefined {
    for (const tree of this.#trees.values()) if (tree.id === id) return tree;
    const row = this.#options.database.one("SELECT path FROM roots WHERE id = ?", id);
    return row === undefined ? undefined : this.#tree(blobPath(row["path"]));
  }

  close(): void {
    this.helper.close();
  }

  /** It holds everything of a person's: to read all of that helps nobody. */
  #isTooWide(root: BytePath): boolean {
    const home = bytePath(this.#options.personHome);
    return root === "/" || root === home || isBelow(home, root);
  }

  #tree(root: BytePath): KeptTree {
    const known = this.#trees.get(root);
    if (known !== undefined) return known;
    const { apart, byHandle, personHome: _home, ...rest } = this.#options;
    const place = { root, apart: apart.map(bytePath), checksPlace: byHandle };
    const tree = new KeptTree({ ...rest, place, helper: this.helper });
    this.#trees.set(root, tree);
    return tree;
  }
}

function realPath(path: string): BytePath | undefined {
  try {
    return realpathSync.native(path, { encoding: "buffer" }).toString("latin1");
  } catch {
    // It is not there: there is nothing to keep.
    return undefined;
  }
}

const isBelow = (path: BytePath, folder: BytePath): boolean =>
  path.startsWith(folder === "/" ? "/" : `${folder}/`);

/** The real path of what is there, with the names behind it that are not. */
function realOrSpelled(path: string): string {
  const parent = dirname(path);
  try {
    return realpathSync.native(path);
  } catch {
    return parent === path ? path : join(realOrSpelled(parent), basename(path));
  }
}
