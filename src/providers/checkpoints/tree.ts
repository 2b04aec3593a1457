import type { Database } from "../store/sqlite/database.ts";
import { integer, text } from "../store/sqlite/columns.ts";
import { ContentReader } from "./content-reader.ts";
import { type BytePath, decodeState, encodeState, hashOf } from "./file-state.ts";
import { ObjectStore } from "./objects.ts";
import type { SweepHelper } from "./sweep-helper.ts";
import { type IndexEntry, TreeIndex } from "./tree-index.ts";
import { leftOutNames, type LookParts, readPending, type SeenChange, TreeLook } from "./tree-look.ts";
import type { TreePlace } from "./tree-rules.ts";

const LEFT_OUT_MS = 60_000;
const SLICE = { files: 200, bytes: 4 * 1024 * 1024 };

export const pathBlob = (path: BytePath): Uint8Array => Buffer.from(path, "latin1");
// The column holds nothing else.
export const blobPath = (value: unknown): BytePath => Buffer.from(value as Uint8Array).toString("latin1");

/** The parts of a tree. */
export interface TreeOptions {
  readonly database: Database;
  readonly place: TreePlace;
  readonly helper: SweepHelper;
  readonly now: () => number;
  /** Bytes that the contents of one tree may take. */
  readonly maxBytes: number;
}

/** A workspace's root as it is kept: its index, here and in the database, and the contents of its files. */
export class KeptTree {
  readonly id: number;
  readonly index: TreeIndex;
  readonly #options: TreeOptions;
  readonly #parts: LookParts;
  #pending: IndexEntry[] | undefined;
  /** Bytes that its contents took before this process read any. */
  #before: number | undefined;
  #leftOut: { readonly names: readonly BytePath[]; readonly until: number } | undefined;

  constructor(options: TreeOptions) {
    this.#options = options;
    const { database, place, helper, now } = options;
    this.index = new TreeIndex(place.root, helper.newTree());
    const reader = new ContentReader(new ObjectStore(database), (bytes) => this.#hasRoom(bytes));
    this.#parts = { place, index: this.index, reader, helper, now };
    this.id = this.#load();
  }

  get parts(): LookParts {
    return this.#parts;
  }

  /** Files whose content the first look has not read yet. */
  get pending(): number {
    return this.#pending?.length ?? 0;
  }

  /** Begins the first look, or goes on with it for one slice; `true` when nothing is left to read. */
  readMore(): boolean {
    if (!this.index.looked) {
      new TreeLook(this.#parts).run();
      this.save(false);
    }
    // A tree from the database may have been left half read by another process.
    this.#pending ??= [...this.index.all()].filter(({ pending }) => pending).reverse();
    const done = readPending(this.#parts, this.#pending, SLICE);
    this.save(false);
    return done;
  }

  look(): readonly SeenChange[] {
    return new TreeLook(this.#parts).run();
  }

  lookAt(paths: readonly BytePath[]): readonly SeenChange[] {
    return new TreeLook(this.#parts).runFor(paths);
  }

  /** The names at the top of what no look covers; they are found once a while, not with every command. */
  leftOut(): readonly BytePath[] {
    const at = this.#options.now();
    if (this.#leftOut === undefined || at > this.#leftOut.until)
      this.#leftOut = { names: leftOutNames(this.#parts), until: at + LEFT_OUT_MS };
    return this.#leftOut.names;
  }

  /** Writes what changed, with `also` in the same transaction. */
  save(durable: boolean, also: () => void = () => undefined): void {
    const { database } = this.#options;
    const { unsaved } = this.index;
    database.write(durable, () => {
      this.#parts.reader.save();
      for (const path of unsaved) this.#saveEntry(path);
      database.update("roots", { looked: this.index.looked ? 1 : 0 }, { id: this.id });
      also();
    });
    unsaved.clear();
  }

  /** Whether there is room for more. The sum is made anew when it seems to be used up: much of it may be gone. */
  #hasRoom(bytes: number): boolean {
    const { maxBytes } = this.#options;
    const { added } = this.#parts.reader;
    if (this.#before !== undefined && this.#before + added + bytes <= maxBytes) return true;
    this.#before = this.#stored() - added;
    return this.#before + added + bytes <= maxBytes;
  }

  /** Bytes of the contents that its entries name. */
  #stored(): number {
    return this.#options.database.integer(
      "total",
      `SELECT coalesce(sum(stored), 0) AS total FROM objects
       WHERE hash IN (SELECT hash FROM entries WHERE root = ? AND hash IS NOT NULL)`,
      this.id,
    );
  }

  #saveEntry(path: BytePath): void {
    const { database } = this.#options;
    const entry = this.index.get(path);
    const blob = pathBlob(path);
    if (entry === undefined) {
      database.run("DELETE FROM entries WHERE root = ? AND path = ?", this.id, blob);
      return;
    }
    database.insert(
      "entries",
      {
        root: this.id,
        path: blob,
        sign: this.index.signs.bytes(entry.slot),
        state: encodeState(entry.state),
        hash: hashOf(entry.state),
      },
      "ON CONFLICT DO UPDATE SET sign = excluded.sign, state = excluded.state, hash = excluded.hash",
    );
  }

  #load(): number {
    const { database, place } = this.#options;
    const root = pathBlob(place.root);
    database.write(false, () =>
      database.insert("roots", { path: root, looked: 0 }, "ON CONFLICT DO NOTHING"),
    );
    const row = database.one("SELECT id, looked FROM roots WHERE path = ?", root) ?? {};
    const id = integer(row, "id");
    // Sorted by path: a folder comes before what is in it.
    for (const each of database.each(
      "SELECT path, sign, state FROM entries WHERE root = ? ORDER BY path",
      id,
    )) {
      const state = decodeState(text(each, "state"));
      const entry = this.index.load(blobPath(each["path"]), state, each["sign"] as Uint8Array);
      if (state.kind === "file" && state.why === "late") entry.pending = true;
    }
    this.index.looked = integer(row, "looked") === 1;
    return id;
  }
}
