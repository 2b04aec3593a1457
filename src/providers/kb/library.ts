import { rmSync, writeFileSync } from "node:fs";
import { integer, text } from "../store/sqlite/columns.ts";
import type { Database } from "../store/sqlite/database.ts";
import { corrupt, storeFailure } from "../store/sqlite/failure.ts";
import { wordsIn } from "../store/search/words.ts";
import { openKbDatabase } from "./database.ts";
import {
  type BegunReading,
  BROKEN_OFF,
  BROKEN_OFF_MS,
  type FailedReading,
  type FinishedReading,
  type KbCollection,
  type KbDocument,
  type KbHit,
  type KbOutline,
  type KbPassage,
  type KbQuery,
  type KnownDocument,
  type NewDocument,
  type PassageWish,
} from "./documents.ts";
import { documentsMark } from "./mark.ts";
import {
  knownDocuments,
  listCollections,
  listDocuments,
  oneDocument,
  headingsOf,
  passageOf,
} from "./read-documents.ts";
import { searchPieces } from "./search-pieces.ts";

/** The documents of a home in its database: each call is one transaction. */
export class KbLibrary {
  readonly #database: Database;
  readonly #mark: string;
  readonly #now: () => number;

  constructor(home: string, now: () => number) {
    this.#database = openKbDatabase(home);
    this.#mark = documentsMark(home);
    this.#now = now;
    this.#write(() => this.#setMark());
  }

  /** @param id - for a document that is new */
  begin(given: NewDocument, id: string): BegunReading {
    return this.#write(() => {
      const { collection, name, origin, hash, bytes, stamp, source, again = false } = given;
      const now = this.#now();
      const place = this.#collection(collection);
      const known = this.#database.one(
        "SELECT id, hash, state, reading FROM documents WHERE collection = ? AND origin = ?",
        place,
        origin,
      );
      const began = { name, began_at: now, ...(source !== undefined && { source }) };
      if (known === undefined) {
        const empty = { title: name, characters: 0, pieces: 0, reading: 1, state: "reading" };
        const row = { id, collection: place, origin, hash, bytes, ...began, ...empty, added_at: now };
        this.#database.insert("documents", row);
        return { id, reading: 1, unchanged: false };
      }
      const [found, reading] = [text(known, "id"), integer(known, "reading") + 1];
      const isReady = text(known, "state") === "ready";
      if (isReady && text(known, "hash") === hash && !again) {
        const change = { ...began, problem: null, tried_at: now, stamp: stamp ?? null };
        this.#database.update("documents", change, { id: found });
        return { id: found, reading, unchanged: true };
      }
      // The hash is that of the text that can be searched, until there is another one.
      const change = isReady ? began : { ...began, hash, bytes, state: "reading" };
      this.#database.update("documents", { ...change, reading }, { id: found });
      return { id: found, reading, unchanged: false };
    });
  }

  /** @returns whether the document is still there; one that was removed while it was read stays removed */
  finish(begun: BegunReading, { hash, bytes, stamp, read }: FinishedReading): boolean {
    return this.#write(() => {
      const { id } = begun;
      const collection = this.#isCurrent(begun);
      if (collection === undefined) return false;
      this.#removePieces(id);
      for (const [at, { heading, text: body }] of read.pieces.entries()) {
        const piece = this.#database.insert("pieces", { document: id, nth: at + 1, heading, text: body });
        this.#database.insert("piece_places", { id: piece, collection });
        const words = { rowid: piece, heading: wordsOf(heading), body: wordsOf(body) };
        this.#database.insert("piece_words", words);
      }
      const { title, note = null, characters, pieces } = read;
      const found = { note, characters, pieces: pieces.length, problem: null, hash, bytes };
      const now = this.#now();
      const change = { ...found, state: "ready", stamp: stamp ?? null, read_at: now, tried_at: now };
      this.#database.update("documents", change, { id });
      if (title !== "") this.#database.update("documents", { title }, { id });
      this.#setMark();
      return true;
    });
  }

  fail(begun: BegunReading, { problem, stamp }: FailedReading): boolean {
    return this.#write(() => {
      if (this.#isCurrent(begun) === undefined) return false;
      this.#database.run(
        "UPDATE documents SET problem = ?, stamp = ?, tried_at = ?, state = iif(state = 'ready', 'ready', 'failed') WHERE id = ?",
        problem,
        stamp ?? null,
        this.#now(),
        begun.id,
      );
      return true;
    });
  }

  /** Ends a reading that nobody waits for any more; a document that was never read is not there then. */
  breakOff({ id, reading }: BegunReading): void {
    this.#write(() => {
      this.#database.run(
        "DELETE FROM documents WHERE id = ? AND reading = ? AND state = 'reading'",
        id,
        reading,
      );
      this.#dropEmpty();
    });
  }

  /** @returns the documents that were there */
  remove(ids: readonly string[]): readonly string[] {
    return this.#write(() => {
      const removed = ids.filter((id) => {
        this.#removePieces(id);
        return this.#database.run("DELETE FROM documents WHERE id = ?", id) > 0;
      });
      this.#dropEmpty();
      this.#setMark();
      return removed;
    });
  }

  /** The documents of a source. */
  known(source: string): readonly KnownDocument[] {
    return knownDocuments(this.#database, source);
  }

  documents(collection: string | undefined): readonly KbDocument[] {
    this.#endBrokenOff();
    return listDocuments(this.#database, collection);
  }

  /** @throws HostError `not_found` */
  document(id: string): KbDocument {
    return oneDocument(this.#database, id);
  }

  /** @throws HostError `not_found` */
  outline(id: string): KbOutline {
    return headingsOf(this.#database, id);
  }

  collections(): readonly KbCollection[] {
    return listCollections(this.#database);
  }

  /** Finds places; none of a document that another process has removed while this one searched. */
  search(query: KbQuery): readonly KbHit[] {
    const before = this.#changes();
    const found = this.#database.read(() => searchPieces(this.#database, query));
    if (this.#changes() === before) return found;
    const isThere = (id: string) =>
      this.#database.one("SELECT 1 FROM documents WHERE id = ?", id) !== undefined;
    return found.filter(({ document }) => isThere(document));
  }

  hasDocuments(): boolean {
    return this.#database.one("SELECT 1 AS some FROM documents WHERE pieces > 0 LIMIT 1") !== undefined;
  }

  /** Looks through the database, which takes time. @throws HostError `store_corrupt` */
  check(): { readonly documents: number; readonly pieces: number } {
    try {
      const found = text(this.#database.one("PRAGMA quick_check(1)") ?? {}, "quick_check");
      if (found !== "ok") throw corrupt(this.#database.file, `is damaged (${found})`);
      this.#database.execute("INSERT INTO piece_words (piece_words) VALUES ('integrity-check')");
    } catch (thrown) {
      throw storeFailure(thrown, this.#database.file);
    }
    const count = (table: string) =>
      this.#database.integer("count", `SELECT count(*) AS count FROM ${table}`);
    return { documents: count("documents"), pieces: count("pieces") };
  }

  /** Some pieces from one on, as many as `characters` hold. @throws HostError `not_found` */
  passage(wish: PassageWish): KbPassage {
    return passageOf(this.#database, wish);
  }

  close(): void {
    this.#database.close();
  }

  #collection(name: string): number {
    const known = this.#database.one("SELECT id FROM collections WHERE name = ?", name);
    return known === undefined ? this.#database.insert("collections", { name }) : integer(known, "id");
  }

  /** @returns the collection of the document that this reading is for, when no later one has begun */
  #isCurrent({ id, reading }: BegunReading): number | undefined {
    const row = this.#database.one(
      "SELECT collection FROM documents WHERE id = ? AND reading = ?",
      id,
      reading,
    );
    return row === undefined ? undefined : integer(row, "collection");
  }

  /** Rises when another connection writes. */
  #changes(): number {
    return this.#database.integer("data_version", "PRAGMA data_version");
  }

  #dropEmpty(): void {
    this.#database.run("DELETE FROM collections WHERE id NOT IN (SELECT collection FROM documents)");
  }

  #removePieces(document: string): void {
    const pieces = "(SELECT id FROM pieces WHERE document = ?)";
    this.#database.one(`DELETE FROM piece_words WHERE rowid IN ${pieces}`, document);
    // The index leaves a number of its own as the last inserted row, too large for what reads it; another row takes its place.
    this.#database.one("INSERT INTO piece_places (id, collection) VALUES (0, 0)");
    this.#database.one(`DELETE FROM piece_places WHERE id = 0 OR id IN ${pieces}`, document);
    this.#database.run("DELETE FROM pieces WHERE document = ?", document);
  }

  #endBrokenOff(): void {
    this.#write(() =>
      this.#database.run(
        "UPDATE documents SET state = 'failed', problem = ? WHERE state = 'reading' AND began_at < ?",
        BROKEN_OFF,
        this.#now() - BROKEN_OFF_MS,
      ),
    );
  }

  /** Within the transaction: no other process changes documents meanwhile. */
  #setMark(): void {
    if (this.hasDocuments()) writeFileSync(this.#mark, "");
    else rmSync(this.#mark, { force: true });
  }

  #write<T>(change: () => T): T {
    return this.#database.write(true, change);
  }
}

const wordsOf = (said: string): string => Array.from(wordsIn(said), ({ word }) => word).join(" ");
