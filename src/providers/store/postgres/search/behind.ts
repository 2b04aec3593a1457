import { integer, nullableInteger, type ResultRow } from "../columns.ts";
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

const ALL = statement(
  "search_behind",
  `SELECT coalesce(s.key, m.session) AS key, s.id IS NULL AS gone
   FROM sessions s FULL JOIN search_marks m ON m.session = s.key
   WHERE CASE WHEN s.id IS NULL THEN m.session IS NOT NULL ELSE m.seq IS DISTINCT FROM s.seq END
   ORDER BY s.active_at DESC NULLS FIRST LIMIT ${AT_ONCE}`,
);
const RECENT = statement(
  "search_behind_recent",
  `SELECT s.key, false AS gone FROM sessions s LEFT JOIN search_marks m ON m.session = s.key
   WHERE s.id IS NOT NULL AND m.seq IS DISTINCT FROM s.seq AND s.active_at >= $1
   ORDER BY s.active_at DESC LIMIT ${AT_ONCE}`,
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
      return behindOf(await this.#sql.query(RECENT, [this.#last.newest]));
    const found = behindOf(await this.#sql.query(ALL));
    const now = performance.now();
    if (found.due.length === 0)
      this.#last = { at: now, took: now - began, newest: nullableInteger(size, "newest") ?? 0 };
    return found;
  }
}

function behindOf(rows: readonly ResultRow[]): Behind {
  const keys = (isGone: boolean): readonly number[] =>
    rows.filter((row) => row["gone"] === isGone).map((row) => integer(row, "key"));
  return { due: keys(false), gone: keys(true) };
}
