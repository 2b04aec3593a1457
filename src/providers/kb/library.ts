import { rmSync, writeFileSync } from "node:fs";
import { HostError } from "../../shared/errors/host-error.ts";
import { integer, nullableInteger, nullableText, type ResultRow, text } from "../store/sqlite/columns.ts";
import type { Database } from "../store/sqlite/database.ts";
import { wordsIn } from "../store/search/words.ts";
import { openKbDatabase } from "./database.ts";
import type {
  DocumentState,
  KbCollection,
  KbDocument,
  KbHit,
  KbPassage,
  KbQuery,
  NewDocument,
  ReadDocument,
} from "./documents.ts";
import { documentsMark } from "./mark.ts";
import { searchPieces } from "./search-pieces.ts";

/** Milliseconds after which a reading is over, whoever began it: its process has died. */
const BROKEN_OFF_MS = 10 * 60_000;

/** A reading that was begun. */
export interface BegunReading {
  readonly id: string;
  readonly reading: number;
  /** The same bytes were read before: there is nothing to do. */
  readonly unchanged: boolean;
}

const DOCUMENT = `SELECT d.*, c.name AS collection_name FROM documents d JOIN collections c ON c.id = d.collection`;

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
  begin({ collection, name, origin, hash, bytes }: NewDocument, id: string): BegunReading {
    return this.#write(() => {
      const place = this.#collection(collection);
      const known = this.#database.one(
        "SELECT id, hash, state, reading FROM documents WHERE collection = ? AND origin = ?",
        place,
        origin,
      );
      const began = { name, hash, bytes, began_at: this.#now() };
      if (known === undefined) {
        const empty = { title: name, characters: 0, pieces: 0, reading: 1, state: "reading" };
        const row = { id, collection: place, origin, ...began, ...empty, added_at: this.#now() };
        this.#database.insert("documents", row);
        return { id, reading: 1, unchanged: false };
      }
      const [found, reading] = [text(known, "id"), integer(known, "reading") + 1];
      const state = text(known, "state");
      if (state === "ready" && text(known, "hash") === hash) {
        this.#database.run("UPDATE documents SET problem = NULL WHERE id = ?", found);
        return { id: found, reading, unchanged: true };
      }
      const next = state === "ready" ? state : "reading";
      // The hash is that of the text that can be searched, until there is another one.
      const { hash: _hash, ...rest } = began;
      const change = state === "ready" ? rest : began;
      this.#database.update("documents", { ...change, reading, state: next }, { id: found });
      return { id: found, reading, unchanged: false };
    });
  }

  /** @returns whether the document is still there; one that was removed while it was read stays removed */
  finish(
    begun: BegunReading,
    { hash, read }: { readonly hash: string; readonly read: ReadDocument },
  ): boolean {
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
      const found = { note, characters, pieces: pieces.length, problem: null, hash };
      const change = { ...found, state: "ready", read_at: this.#now() };
      this.#database.update("documents", change, { id });
      if (title !== "") this.#database.update("documents", { title }, { id });
      this.#setMark();
      return true;
    });
  }

  fail(begun: BegunReading, problem: string): boolean {
    return this.#write(() => {
      if (this.#isCurrent(begun) === undefined) return false;
      this.#database.run(
        "UPDATE documents SET problem = ?, state = iif(state = 'ready', 'ready', 'failed') WHERE id = ?",
        problem,
        begun.id,
      );
      return true;
    });
  }

  /** @returns the documents that were there */
  remove(ids: readonly string[]): readonly string[] {
    return this.#write(() => {
      const removed = ids.filter((id) => {
        this.#removePieces(id);
        return this.#database.run("DELETE FROM documents WHERE id = ?", id) > 0;
      });
      this.#database.run("DELETE FROM collections WHERE id NOT IN (SELECT collection FROM documents)");
      this.#setMark();
      return removed;
    });
  }

  documents(collection: string | undefined): readonly KbDocument[] {
    this.#endBrokenOff();
    return this.#database
      .all(
        `${DOCUMENT} WHERE ? IS NULL OR c.name = ? ORDER BY c.name, d.name, d.id`,
        collection ?? null,
        collection ?? null,
      )
      .map(documentOf);
  }

  collections(): readonly KbCollection[] {
    return this.#database
      .all(
        `SELECT c.name, count(d.id) AS documents, coalesce(sum(d.pieces), 0) AS pieces,
           coalesce(sum(d.state = 'failed'), 0) AS failed
         FROM collections c LEFT JOIN documents d ON d.collection = c.id GROUP BY c.id ORDER BY c.name`,
      )
      .map((row) => ({
        name: text(row, "name"),
        documents: integer(row, "documents"),
        pieces: integer(row, "pieces"),
        failed: integer(row, "failed"),
      }));
  }

  search(query: KbQuery): readonly KbHit[] {
    return this.#database.read(() => searchPieces(this.#database, query));
  }

  /** Some pieces from one on, as many as `characters` hold. @throws HostError `not_found` */
  passage({ id, from, characters, collections }: PassageWish): KbPassage {
    return this.#database.read(() => {
      const row = this.#database.one(`${DOCUMENT} WHERE d.id = ?`, id);
      const document = row === undefined ? undefined : documentOf(row);
      if (document === undefined || collections?.includes(document.collection) === false)
        throw new HostError(
          "not_found",
          `There is no document ${id}. Search again: it may have been removed.`,
        );
      const pieces: KbPassage["pieces"][number][] = [];
      let size = 0;
      const rows = this.#database.each(
        "SELECT nth, heading, text FROM pieces WHERE document = ? AND nth >= ? ORDER BY nth",
        id,
        from,
      );
      for (const piece of rows) {
        size += text(piece, "text").length;
        if (size > characters && pieces.length > 0) break;
        pieces.push({
          piece: integer(piece, "nth"),
          heading: text(piece, "heading"),
          text: text(piece, "text"),
        });
      }
      return { document, pieces };
    });
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
        "The reading was broken off. Add it again.",
        this.#now() - BROKEN_OFF_MS,
      ),
    );
  }

  /** Within the transaction: no other process changes documents meanwhile. */
  #setMark(): void {
    const some = this.#database.one("SELECT 1 AS some FROM documents WHERE pieces > 0 LIMIT 1");
    if (some === undefined) rmSync(this.#mark, { force: true });
    else writeFileSync(this.#mark, "");
  }

  #write<T>(change: () => T): T {
    return this.#database.write(true, change);
  }
}

/** A wish to read on in a document. */
export interface PassageWish {
  readonly id: string;
  /** The first piece, from 1. */
  readonly from: number;
  readonly characters: number;
  readonly collections?: readonly string[];
}

const wordsOf = (said: string): string => Array.from(wordsIn(said), ({ word }) => word).join(" ");

function documentOf(row: ResultRow): KbDocument {
  const [note, problem, readAt] = [
    nullableText(row, "note"),
    nullableText(row, "problem"),
    nullableInteger(row, "read_at"),
  ];
  return {
    id: text(row, "id"),
    collection: text(row, "collection_name"),
    name: text(row, "name"),
    origin: text(row, "origin"),
    title: text(row, "title"),
    // Only this file writes states.
    state: text(row, "state") as DocumentState,
    bytes: integer(row, "bytes"),
    characters: integer(row, "characters"),
    pieces: integer(row, "pieces"),
    ...(note !== undefined && { note }),
    ...(problem !== undefined && { problem }),
    addedAt: integer(row, "added_at"),
    ...(readAt !== undefined && { readAt }),
  };
}
