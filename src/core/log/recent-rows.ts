import type { Clock } from "../../shared/async/clock.ts";
import type { Row } from "../events/events.ts";

/** Milliseconds that rows are kept after the last of them was read. */
const KEPT_MS = 60_000;
/** Rows that are kept at most: more of them are read again sooner than they are kept. */
const MOST_ROWS = 20_000;

/** The rows of a log's past that a reader has just read: the conversation of the next turn is made of them. */
export class RecentRows {
  readonly #clock: Clock;
  #rows: Row[] = [];
  /** They are all rows after this cursor, up to that of the last one. */
  #from = 0;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds rows that follow a cursor. Those that do not go on with what is here take its place. */
  add(after: number, rows: readonly Row[]): void {
    if (rows.length === 0) return;
    if (after !== this.#end) {
      this.#rows = [];
      this.#from = after;
    }
    this.#rows.push(...rows);
    if (this.#rows.length > MOST_ROWS) return this.forget();
    this.#cancel();
    this.#cancel = this.#clock.after(KEPT_MS, () => this.forget());
  }

  /** Those of the rows in `(after, to]` that are here without a gap from `after` on. */
  between(after: number, to: number): readonly Row[] {
    if (after < this.#from || after >= this.#end) return [];
    return this.#rows.filter(({ seq }) => seq > after && seq <= to);
  }

  forget(): void {
    this.#cancel();
    this.#rows = [];
  }

  get #end(): number {
    return this.#rows.at(-1)?.seq ?? this.#from;
  }
}
