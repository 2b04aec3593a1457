import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Piece, Row } from "../../../src/core/index.ts";
import { type CommittedRow, LogWindow } from "../../../src/core/log/window.ts";
import { titleSet } from "../../kit/log-pen.ts";

const LIMIT = 256 * 1024;
const HEAD = 10;

/** Everything that was ever put into a window, and the little that decides about what it must have. */
class Model {
  readonly window = new LogWindow(HEAD);
  readonly #rows: CommittedRow[] = [];
  #pieces: Piece[] = [];
  #cursor = HEAD;
  /** Rows since the window was cleared the last time. */
  #sinceClear = 0;
  #clearedAt = HEAD;

  addRows(sizes: readonly number[], endsReply: boolean): void {
    const rows = sizes.map((size): CommittedRow => {
      this.#cursor += 1;
      const row: Row = { n: this.#rows.length + 1, seq: this.#cursor, at: 0, event: titleSet("t") };
      this.#sinceClear += size;
      return { row, size };
    });
    this.#rows.push(...rows);
    if (endsReply) this.#pieces = [];
    this.window.addRows(rows, endsReply);
  }

  addPieces(texts: readonly string[]): void {
    const pieces = texts.map((text): Piece => {
      const piece = { cursor: this.#cursor, kind: "text" as const, text };
      this.#cursor += text.length;
      return piece;
    });
    this.#pieces.push(...pieces);
    this.window.addPieces(pieces);
  }

  clear(): void {
    this.#sinceClear = 0;
    this.#clearedAt = this.#cursor;
    this.window.clear();
  }

  dropPieces(): void {
    this.#pieces = [];
    this.window.dropPieces();
  }

  /** The lowest cursor that is covered. */
  get lowest(): number {
    let lowest = this.#cursor;
    while (this.window.covers(lowest - 1)) lowest -= 1;
    return lowest;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** Everything after a cursor, whatever the window has kept. */
  after(after: number): ReturnType<LogWindow["after"]> {
    return {
      rows: this.#rows.map(({ row }) => row).filter(({ seq }) => seq > after),
      pieces: this.#pieces.filter(({ cursor, text }) => cursor + text.length > after),
    };
  }

  /** It keeps no more than it may, but for one row that is larger, and all it has when that is less. */
  get isWithinBounds(): boolean {
    const kept = this.#rows.filter(({ row }) => row.seq > this.lowest);
    const size = kept.reduce((sum, each) => sum + each.size, 0);
    const hasAll = this.lowest === this.#clearedAt;
    return (size <= LIMIT || kept.length === 1) && (hasAll || this.#sinceClear > LIMIT);
  }
}

type Step = (model: Model) => void;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.array(fc.integer({ min: 1, max: LIMIT / 4 }), { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(
        ([sizes, ends]): Step =>
          (model) =>
            model.addRows(sizes, ends),
      ),
  },
  {
    weight: 4,
    arbitrary: fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 3 }).map(
      (texts): Step =>
        (model) =>
          model.addPieces(texts),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((model) => model.addRows([LIMIT + 1], false)) },
  { weight: 1, arbitrary: fc.constant<Step>((model) => model.clear()) },
  { weight: 1, arbitrary: fc.constant<Step>((model) => model.dropPieces()) },
);

describe("the window of a log", () => {
  test("gives what everything that was put into it would give, from wherever it covers, within its bound", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const model = new Model();
        for (const take of steps) {
          const { changes } = model.window;
          take(model);
          expect(model.window.changes).toBeGreaterThan(changes);
          const { window, lowest, cursor } = model;
          expect(window.shown).toBe(cursor);
          for (let after = lowest; after <= cursor; after += 1)
            expect(window.after(after)).toEqual(model.after(after));
          expect(model.isWithinBounds).toBe(true);
        }
      }),
    );
  });

  test("covers nothing from before its beginning", () => {
    const window = new LogWindow(HEAD);
    expect([window.covers(HEAD - 1), window.covers(HEAD), window.covers(HEAD + 1)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(window.after(HEAD)).toEqual({ rows: [], pieces: [] });
  });
});
