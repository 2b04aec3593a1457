import type { Database } from "../store/sqlite/database.ts";
import { integer, text } from "../store/sqlite/columns.ts";
import { ObjectStore } from "./objects.ts";

/** The keeper of the byte cap: the oldest turns of a session go first, and contents go with the last that names them. */
export class Retention {
  readonly #database: Database;
  readonly #objects: ObjectStore;
  readonly #maxBytes: number;
  /** What all sessions together held when it was last counted, and the contents that there were. */
  #counted: { readonly bytes: number; readonly objects: number } | undefined;

  constructor(database: Database, maxBytes: number) {
    this.#database = database;
    this.#objects = new ObjectStore(database);
    this.#maxBytes = maxBytes;
  }

  /** Gives up the oldest turns of a session until the rest fits; the newest stays. */
  keepWithin(session: string): void {
    // What all hold together is no less than what one holds.
    if (this.#total() <= this.#maxBytes) return;
    let dropped = false;
    while (this.#weight(session) > this.#maxBytes && this.#dropOldest(session)) dropped = true;
    if (dropped) this.collect();
  }

  /** Deletes contents and entries that nothing needs any more, unless a command is at work that might. */
  collect(): void {
    this.#database.write(false, () => {
      const isBusy = this.#database.one(
        "SELECT 1 AS found FROM steps WHERE owner IS NOT NULL AND kind <> 'background' LIMIT 1",
      );
      if (isBusy === undefined) this.#objects.collect();
    });
    this.#database.execute("PRAGMA incremental_vacuum");
    this.#counted = undefined;
  }

  #total(): number {
    const objects = this.#database.integer("rows", "SELECT coalesce(max(rowid), 0) AS rows FROM objects");
    if (this.#counted?.objects !== objects) this.#counted = { objects, bytes: this.#objects.stored };
    return this.#counted.bytes;
  }

  /** Bytes of the contents that a session's steps name, and its workspaces as they are. */
  #weight(session: string): number {
    return this.#database.integer(
      "total",
      `SELECT coalesce(sum(stored), 0) AS total FROM objects WHERE hash IN (
         SELECT pre_hash FROM changes JOIN steps ON steps.id = step WHERE session = ?1 AND pre_hash IS NOT NULL
         UNION SELECT post_hash FROM changes JOIN steps ON steps.id = step WHERE session = ?1 AND post_hash IS NOT NULL
         UNION SELECT hash FROM entries WHERE hash IS NOT NULL AND root IN (SELECT root FROM steps WHERE session = ?1))`,
      session,
    );
  }

  #dropOldest(session: string): boolean {
    const turns = this.#database.all(
      "SELECT turn, min(cursor) AS cursor FROM steps WHERE session = ? GROUP BY turn ORDER BY min(id) LIMIT 2",
      session,
    );
    const [oldest] = turns;
    if (oldest === undefined || turns.length < 2) return false;
    const [turn, cursor] = [text(oldest, "turn"), integer(oldest, "cursor")];
    this.#database.write(true, () => {
      this.#database.run("DELETE FROM steps WHERE session = ? AND turn = ?", session, turn);
      this.#database.insert("dropped", { session, turn, cursor }, "ON CONFLICT DO NOTHING");
    });
    return true;
  }
}
