import { expect, test } from "vitest";
import { PrintedRows } from "../../../src/tui/terminal/printed-rows.ts";

const WINDOW = 10;

/** Entries of so many lines each, printed one after the other above a frame of two rows. */
function printed(...lines: readonly number[]): PrintedRows {
  const rows = new PrintedRows();
  for (const [index, count] of lines.entries()) {
    rows.handed(count);
    rows.wrote(count, 2);
    rows.began([{ key: index + 1, lines: count }], WINDOW);
  }
  return rows;
}

test("an entry whose first row is in the window is taken back with what follows it, and no more", () => {
  expect(printed(3, 2, 3).takeBack(2, WINDOW)).toEqual({ rows: 5, whole: true });
  expect(printed(3, 2, 3).takeBack(1, WINDOW)).toEqual({ rows: 8, whole: true });
});

test("of one that began above the window, and of one that nobody knows, goes what the window has", () => {
  expect(printed(3, 2, 4).takeBack(1, WINDOW)).toEqual({ rows: 8, whole: false });
  expect(printed(3, 2, 4).takeBack(9, WINDOW)).toEqual({ rows: 8, whole: false });
});

test("what a high frame pushed out of the window is out of it when the frame is low again", () => {
  const rows = printed(3, 2, 3);
  rows.wrote(0, 5);
  rows.wrote(0, 2);
  expect(rows.takeBack(1, WINDOW)).toEqual({ rows: 5, whole: false });
});

test("rows are counted on from what is left", () => {
  const rows = printed(3, 2, 3);
  rows.takeBack(3, WINDOW);
  rows.handed(1);
  rows.wrote(1, 2);
  rows.began([{ key: 4, lines: 1 }], WINDOW);
  expect(rows.takeBack(2, WINDOW)).toEqual({ rows: 3, whole: true });
});

test("where rows are that were printed before the window changed is not known", () => {
  const rows = printed(3, 2);
  rows.moved();
  rows.handed(2);
  rows.wrote(2, 2);
  rows.began([{ key: 3, lines: 2 }], WINDOW);
  expect(rows.takeBack(3, WINDOW)).toEqual({ rows: 2, whole: true });
  expect(rows.takeBack(2, WINDOW)).toEqual({ rows: 5, whole: false });
});
