import { setTimeout as pause } from "node:timers/promises";
import type { Connections } from "../connections.ts";
import { statement } from "../statement.ts";
import { BehindFinder } from "./behind.ts";
import { followSessions, forgetSessions } from "./index-step.ts";
import { WordLevels } from "./word-levels.ts";

/** The lock of the host that reads into the index: "srch" in ASCII. */
const INDEX_LOCK = 0x73726368;
/** Milliseconds until it is tried again, while another host reads. */
const WAIT_MS = 10;
/** Sessions that one transaction takes. */
const A_STEP = 50;

const LOCK = statement("search_lock", `SELECT pg_try_advisory_xact_lock(${INDEX_LOCK}) AS mine`);

/**
 * An index of what was said and used, in the database itself: a fold of the logs that knows of each how far it has come. The
 * host that comes first reads on, one at a time.
 */
export class TextIndex {
  readonly #connections: Connections;
  readonly #levels = new WordLevels();
  readonly #behind: BehindFinder;
  #last: Promise<unknown> = Promise.resolve();

  constructor(connections: Connections) {
    this.#connections = connections;
    this.#behind = new BehindFinder(connections);
  }

  /** Reads what is missing, the newest sessions first, until `isOver`; `true` when nothing is missing any more. */
  async catchUp(isOver: () => boolean): Promise<boolean> {
    for (let looks = 0; ; looks += 1) {
      const { due, gone } = await this.#behind.find();
      if (due.length === 0 && gone.length === 0) return true;
      // Each call gets somewhere, however little time it has.
      if (looks > 0 && isOver()) return false;
      const steps = [
        ...slices(gone).map((sessions) => ({ gone: sessions, due: [] })),
        ...slices(due).map((sessions) => ({ gone: [], due: sessions })),
      ];
      for (const step of steps) {
        // Who is at it elsewhere may be at what is missing here: then it is looked for again.
        const isDone = await this.#inTurn(() => this.#step(isOver, step));
        if (!isDone) await pause(WAIT_MS);
        if (!isDone || isOver()) break;
      }
    }
  }

  /** One step of this host after the other: each finds what the one before it has read. */
  #inTurn(step: () => Promise<boolean>): Promise<boolean> {
    const done = this.#last.then(step, step);
    this.#last = done;
    return done;
  }

  /** @returns `false` when another host is at it */
  async #step(
    isOver: () => boolean,
    { due, gone }: { readonly due: readonly number[]; readonly gone: readonly number[] },
  ): Promise<boolean> {
    try {
      // What the machine loses with its power is read again.
      return await this.#connections.transaction(async (sql) => {
        const [lock] = await sql.query(LOCK);
        if (lock?.["mine"] !== true) return false;
        if (gone.length > 0) await forgetSessions(sql, gone);
        if (due.length > 0) await followSessions(due, { sql, levels: this.#levels, isOver });
        return true;
      }, true);
    } catch (thrown) {
      this.#levels.forget();
      throw thrown;
    }
  }
}

const slices = (keys: readonly number[]): readonly (readonly number[])[] =>
  Array.from({ length: Math.ceil(keys.length / A_STEP) }, (_, at) =>
    keys.slice(at * A_STEP, (at + 1) * A_STEP),
  );
