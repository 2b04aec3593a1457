import { integer, nullableInteger } from "../columns.ts";
import type { Sql } from "../connections.ts";
import { statement } from "../statement.ts";

/** Sessions that are looked up at once because something of them is missing. */
const AT_ONCE = 1000;
/** Of more sessions all are compared only every so often; in between, those that were last worked in. */
const MANY = 40_000;
const SELDOM_MS = 2000;
/** All are compared no more often than in one of so many times that it takes. */
const SHARE = 50;

const SIZE = statement("search_size", "SELECT max(key) AS last, max(active_at) AS newest FROM sessions");

const behind = (further: string): string =>
  `SELECT s.key FROM sessions s LEFT JOIN search_marks m ON m.session = s.key
   WHERE s.id IS NOT NULL AND m.seq IS DISTINCT FROM s.seq ${further} ORDER BY s.active_at DESC LIMIT ${AT_ONCE}`;
const ALL = statement("search_behind", behind(""));
const RECENT = statement("search_behind_recent", behind("AND s.active_at >= $1"));

const GONE = statement(
  "search_gone",
  `SELECT m.session AS key FROM search_marks m LEFT JOIN sessions s ON s.key = m.session
   WHERE s.id IS NULL LIMIT ${AT_ONCE}`,
);

/** The sessions that an index does not agree with. */
export interface Behind {
  /** Something of their logs is missing, the newest first. */
  readonly due: readonly number[];
  readonly gone: readonly number[];
}

/** The search for sessions that the index does not agree with: all or, where there are many, mostly those that were just worked in. */
export class BehindFinder {
  readonly #sql: Sql;
  #last = { at: Number.NEGATIVE_INFINITY, took: 0, newest: 0 };

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async find(): Promise<Behind> {
    const [size] = await this.#sql.query(SIZE);
    if (size === undefined) return { due: [], gone: [] };
    const isMany = (nullableInteger(size, "last") ?? 0) > MANY;
    const began = performance.now();
    const pause = Math.max(SELDOM_MS, SHARE * this.#last.took);
    if (isMany && began - this.#last.at < pause)
      return { due: await this.#keys(RECENT, [this.#last.newest]), gone: [] };
    const found = { due: await this.#keys(ALL), gone: await this.#keys(GONE) };
    const now = performance.now();
    if (found.due.length === 0)
      this.#last = { at: now, took: now - began, newest: nullableInteger(size, "newest") ?? 0 };
    return found;
  }

  async #keys(...query: Parameters<Sql["query"]>): Promise<readonly number[]> {
    return (await this.#sql.query(...query)).map((row) => integer(row, "key"));
  }
}
