import { expect, test } from "vitest";
import { FrameWriter } from "../../../src/tui/terminal/frame-writer.ts";
import { line } from "../../../src/tui/text/line.ts";
import { makeTheme } from "../../../src/tui/text/theme.ts";
import type { ScreenFrame } from "../../../src/tui/view/frame.ts";

const frameOf = (rows: number): ScreenFrame => ({
  lines: Array.from({ length: rows }, (_, row) => line(`row ${row}`)),
  caret: undefined,
  columns: 80,
});

/** Rows above the cursor's that a change of the window's size takes away. */
function erased(writer: FrameWriter, rows: number, columns = 80): number {
  // Finding control sequences is what this is for.
  // oxlint-disable-next-line no-control-regex
  return Number(/^\u001b\[(\d+)A/.exec(writer.eraseResized({ columns, rows }))?.[1] ?? 0);
}

const THEME = makeTheme({ depth: "none", background: undefined });

function writerOf(rows: number): FrameWriter {
  const writer = new FrameWriter(
    () => THEME,
    () => 0,
  );
  writer.draw(frameOf(rows));
  return writer;
}

test("rows of a tall frame that a low window had no room for are taken away when a higher one brings them back", () => {
  const writer = writerOf(20);
  erased(writer, 12);
  writer.draw(frameOf(11));
  // Of the first frame 8 rows are above the window, and one of the second.
  erased(writer, 10);
  writer.draw(frameOf(9));
  expect(erased(writer, 16)).toBe(8 + 6);
  writer.draw(frameOf(15));
  expect(erased(writer, 24)).toBe(14 + 3);
  writer.draw(frameOf(20));
  expect(erased(writer, 30)).toBe(19);
});

test("such rows stay where finished text could be taken away with them", () => {
  const below = writerOf(20);
  erased(below, 12);
  below.print(["finished"], frameOf(3));
  expect(erased(below, 24)).toBe(2);
  const wider = writerOf(20);
  erased(wider, 12);
  wider.draw(frameOf(11));
  expect(erased(wider, 24, 90)).toBe(10);
});
