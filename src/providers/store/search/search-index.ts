import { saidWords } from "../../../core/index.ts";
import { integer, type ResultRow, nullableInteger, nullableText, text } from "../sqlite/columns.ts";
import type { Database } from "../sqlite/database.ts";
import { isDamage } from "../sqlite/failure.ts";
import type { UsageFold } from "../usage/usage-fold.ts";
import { UsageIndex } from "../usage/usage-index.ts";
import { eventOf, FOUND_KINDS, INDEXED_IN, indexedText, TITLE } from "./indexed-text.ts";
import { Vocabulary } from "./vocabulary.ts";

/** Sessions that are looked up at once because something of them is missing in the index. */
const AT_ONCE = 1000;
/** Documents of one second that have numbers of their own; more take those that follow. */
const PER_SECOND = 16;
const NEAR = 1024;
/** Places that one step deletes. */
const STEP = 500;
/** Of more sessions all are compared only every so often; in between, those that were last worked in. */
const MANY = 40_000;
const SELDOM_MS = 2000;

/** The log that an index is about. */
export interface IndexedLog {
  /** The schema in which the log's tables are. */
  readonly schema: string;
  /** Changes whenever the log may have changed. */
  readonly version: () => number;
}

/** A session whose log has changed since it was read into the index. */
interface Due {
  readonly key: number;
  readonly id: string;
}

const READ = INDEXED_IN.map((type) => `'${type}'`).join(", ");

/**
 * An index of what was said and used in a home: a fold of the logs that knows of each how far it has come. However it is
 * interrupted, it goes on from there, and whatever changed a log, it follows.
 */
export class SearchIndex {
  readonly database: Database;
  readonly log: IndexedLog;
  readonly vocabulary: Vocabulary;
  readonly #usage: UsageIndex;
  /** The log's version when nothing was missing. */
  #upToDate: number | undefined;
  #lastLook = { at: -Infinity, activeAt: 0 };
  #documents: number | undefined;
  /** Documents of the transaction that is under way: the index takes them fastest in their order. */
  readonly #texts = new Map<number, { readonly words: string; readonly characters: string }>();

  constructor(database: Database, log: IndexedLog) {
    this.database = database;
    this.log = log;
    this.vocabulary = new Vocabulary(database);
    this.#usage = new UsageIndex(database);
  }

  /** How many documents there are, about: those that other processes add meanwhile are not counted. */
  get documents(): number {
    return (this.#documents ??= this.database.integer(
      "count",
      "SELECT count(*) AS count FROM search_places",
    ));
  }

  /** Reads what is missing, the newest sessions first, until `isOver`; `true` when nothing is missing any more. */
  catchUp(isOver: () => boolean): boolean {
    for (let steps = 0; ; steps += 1) {
      const version = this.log.version();
      if (version === this.#upToDate) return true;
      const isQuick = this.#isQuick();
      const due = this.#due(isQuick);
      const gone = isQuick ? [] : this.#gone();
      if (due.length === 0 && gone.length === 0) {
        // The index itself may be in the same database: then its own writes were counted.
        if (!isQuick) this.#upToDate = version;
        return true;
      }
      // Each call gets somewhere, however little time it has.
      if (steps > 0 && isOver()) return false;
      this.#step(due, gone, isOver);
    }
  }

  #step(due: readonly Due[], gone: readonly number[], isOver: () => boolean): void {
    try {
      this.database.write(false, () => {
        for (const key of gone) {
          this.#forget(key, true);
          if (isOver()) break;
        }
        for (const session of due) {
          this.#follow(session, isOver);
          if (isOver()) break;
        }
        this.#flush();
      });
    } catch (thrown) {
      this.#texts.clear();
      this.vocabulary.forget();
      throw thrown;
    }
  }

  #isQuick(): boolean {
    const { schema } = this.log;
    const newest = this.database.one(`SELECT max(key) AS key FROM ${schema}.sessions`);
    const isMany = (nullableInteger(newest ?? {}, "key") ?? 0) > MANY;
    return isMany && performance.now() - this.#lastLook.at < SELDOM_MS;
  }

  /** The sessions of which something is missing. */
  #due(isQuick: boolean): readonly Due[] {
    const { schema } = this.log;
    // Where all are compared an index on the time would only be a longer way.
    const time = isQuick ? "s.active_at" : "+s.active_at";
    const rows = this.database.all(
      `SELECT s.key, s.id FROM ${schema}.sessions s LEFT JOIN search_marks m ON m.session = s.key
       WHERE s.id IS NOT NULL AND (m.seq IS NOT s.seq OR m.id IS NOT s.id) AND ${time} >= ?
       ORDER BY ${time} DESC LIMIT ${AT_ONCE}`,
      isQuick ? this.#lastLook.activeAt : -Number.MAX_SAFE_INTEGER,
    );
    if (!isQuick && rows.length === 0) {
      const newest = this.database.one(`SELECT max(active_at) AS newest FROM ${schema}.sessions`);
      const activeAt = nullableInteger(newest ?? {}, "newest") ?? 0;
      this.#lastLook = { at: performance.now(), activeAt };
    }
    return rows.map((row) => ({ key: integer(row, "key"), id: text(row, "id") }));
  }

  /** Sessions of the index that are there no more. */
  #gone(): readonly number[] {
    const rows = this.database.all(
      `SELECT m.session FROM search_marks m LEFT JOIN ${this.log.schema}.sessions s ON s.key = m.session
       WHERE s.id IS NULL LIMIT ${AT_ONCE}`,
    );
    return rows.map((row) => integer(row, "session"));
  }

  /** Reads what a session's log has more than the index. */
  #follow({ key, id }: Due, isOver: () => boolean): void {
    const { schema } = this.log;
    const session = this.database.one(`SELECT id, seq FROM ${schema}.sessions WHERE key = ?`, key);
    if (session === undefined || nullableText(session, "id") !== id) return;
    const head = integer(session, "seq");
    let done = this.#markOf(key, id);
    let whole = true;
    const usage = this.#usage.foldOf(key);
    try {
      for (const row of this.database.each(
        `SELECT seq, at, type, body FROM ${schema}.rows WHERE session = ? AND seq > ? AND type IN (${READ}) ORDER BY seq`,
        key,
        done,
      )) {
        this.#take(key, row, usage);
        done = integer(row, "seq");
        whole = !isOver();
        if (!whole) break;
      }
    } catch (thrown) {
      // What stands behind damage is no part of the readable log.
      if (!isDamage(thrown)) throw thrown;
    }
    this.#usage.save(key, usage);
    this.#mark(key, { id, seq: whole ? head : done });
  }

  /** How far the session is in the index; what is there of another past of it goes. */
  #markOf(key: number, id: string): number {
    const mark = this.database.one("SELECT id, seq, crc FROM search_marks WHERE session = ?", key);
    if (mark === undefined) return 0;
    const seq = integer(mark, "seq");
    if (text(mark, "id") === id && this.#checksum(key, seq) === integer(mark, "crc")) return seq;
    while (!this.#forget(key, text(mark, "id") !== id));
    return 0;
  }

  #mark(key: number, { id, seq }: { readonly id: string; readonly seq: number }): void {
    const replace =
      "ON CONFLICT (session) DO UPDATE SET id = excluded.id, seq = excluded.seq, crc = excluded.crc";
    const crc = this.#checksum(key, seq);
    this.database.insert("search_marks", { session: key, id, seq, crc }, replace);
  }

  /** The checksum of a session's row: another one there means another past, as after a backup was put back. */
  #checksum(key: number, seq: number): number {
    try {
      const sql = `SELECT crc FROM ${this.log.schema}.rows WHERE session = ? AND seq = ?`;
      const row = this.database.one(sql, key, seq);
      return row === undefined ? 0 : integer(row, "crc");
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      return 0;
    }
  }

  #take(session: number, row: ResultRow, usage: UsageFold): void {
    const seq = integer(row, "seq");
    const event = eventOf(text(row, "body"));
    if (event === undefined) return;
    usage.take({ seq, at: integer(row, "at") }, event);
    if (event.type === "history.undo") {
      if (event.keep >= seq) return;
      while (!this.#delete(`session = ? AND seq > ? AND kind <> ${TITLE}`, session, event.keep));
      return;
    }
    if (event.type === "title.set" || event.type === "session.branch")
      this.#delete(`session = ? AND kind = ${TITLE}`, session);
    for (const { kind, text: said } of saidWords(event)) {
      const doc = this.#number(integer(row, "at"));
      this.database.insert("search_places", { doc, session, seq, kind: FOUND_KINDS.indexOf(kind) });
      this.#texts.set(doc, this.#document(said));
    }
  }

  #document(said: string): { readonly words: string; readonly characters: string } {
    const { words, characters, learnt } = indexedText(said);
    this.vocabulary.learn(learnt);
    return { words: words.join(" "), characters: [...characters].join(" ") };
  }

  /** A free number for a document of a time. */
  #number(at: number): number {
    const second = Math.min(Math.max(Math.floor(at / 1000), 0), 2 ** 40) * PER_SECOND;
    const last = this.#lastIn(second, second + PER_SECOND);
    if (last === undefined) return second;
    if (last < second + PER_SECOND - 1) return last + 1;
    for (let from = second; ; from += NEAR) {
      const near = this.#lastIn(from, from + NEAR);
      if (near === undefined) return from;
      if (near < from + NEAR - 1) return near + 1;
    }
  }

  #lastIn(from: number, to: number): number | undefined {
    const sql = "SELECT max(doc) AS doc FROM search_places WHERE doc >= ? AND doc < ?";
    return nullableInteger(this.database.one(sql, from, to) ?? {}, "doc");
  }

  /** Deletes some documents; `true` when none is left. */
  #delete(where: string, ...values: readonly number[]): boolean {
    const rows = this.database.all(`SELECT doc FROM search_places WHERE ${where} LIMIT ${STEP}`, ...values);
    const docs = rows.map((row) => integer(row, "doc"));
    for (const doc of docs) this.database.run("DELETE FROM search_places WHERE doc = ?", doc);
    for (const doc of docs)
      if (!this.#texts.delete(doc)) this.database.one("DELETE FROM search_texts WHERE rowid = ?", doc);
    // FTS5 leaves a row id behind that no JavaScript number can hold, and each statement that ran would report it.
    this.database.one("REPLACE INTO search_deleted (id) VALUES (1)");
    return docs.length < STEP;
  }

  /** Deletes some of what the index has of a session; `true` when nothing is left. */
  #forget(session: number, isDeleted: boolean): boolean {
    if (!this.#delete("session = ?", session)) return false;
    if (isDeleted) this.#usage.noteDeleted(session);
    else this.#usage.forget(session);
    this.database.run("DELETE FROM search_marks WHERE session = ?", session);
    return true;
  }

  #flush(): void {
    for (const [rowid, document] of [...this.#texts].toSorted(([a], [b]) => a - b))
      this.database.insert("search_texts", { rowid, ...document });
    if (this.#documents !== undefined) this.#documents += this.#texts.size;
    this.#texts.clear();
  }
}
