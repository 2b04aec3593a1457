import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_VIEW, print, type ViewState } from "../../../src/tui/state/view-state.ts";
import { settleAll } from "../../../src/tui/state/live-text.ts";
import { markdownLines } from "../../../src/tui/text/markdown.ts";
import { entryLines } from "../../../src/tui/view/entry-lines.ts";
import { printWholeRows } from "../../../src/tui/view/whole-rows.ts";
import { DEFAULT_DISPLAY } from "../../../src/tui/state/display-settings.ts";
import { times } from "../../kit/counts.ts";

const COLUMNS = 40;

/** An answer that comes word by word, as it stands before its end. */
function streamed(words: readonly string[]): ViewState {
  return words.reduce((view, word) => {
    const answer = { ...view.answer, text: view.answer.text + word };
    return printWholeRows({ ...view, answer }, COLUMNS);
  }, EMPTY_VIEW);
}

const rowsOf = ({ finished }: ViewState): readonly string[] =>
  finished
    .flatMap(({ entry }) => entryLines(entry, { columns: COLUMNS, display: DEFAULT_DISPLAY }))
    .map((line) =>
      line
        .map(({ text }) => text)
        .join("")
        .trim(),
    );

const whole = (text: string): readonly string[] =>
  markdownLines(text, COLUMNS - 2).map((line) =>
    line
      .map(({ text: each }) => each)
      .join("")
      .trim(),
  );

describe("the whole rows of an unfinished block", () => {
  test("are printed as they stand in the whole, and few stay", () => {
    const word = fc.oneof(
      { weight: 8, arbitrary: fc.stringMatching(/^[a-z]{1,9}$/).map((text) => `${text} `) },
      fc.constantFrom(
        "`code it` ",
        "**bold words** ",
        "snake_case ",
        "日本語の文 ",
        "[a](http://b.c) ",
        "\n",
        "1. ",
        "- ",
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 60, maxLength: 150 }), (words) => {
        const text = `Begin ${words
          .join("")
          .replaceAll(/\n+/g, "\n")
          .replaceAll(/\n(?=\d\.|- |\s)/g, "")}`;
        const view = streamed(text.split(/(?<=\s)/));
        const end = settleAll(view.answer);
        expect(rowsOf(print(view, ...end))).toEqual(whole(text));
      }),
      { numRuns: times(300) },
    );
    const plain = streamed(Array.from({ length: 300 }, (_, index) => `word${index} `));
    expect(rowsOf(plain).length).toBeGreaterThan(50);
    expect(whole(plain.answer.text).length).toBeLessThanOrEqual(8);
  });

  test("stay from a mark on whose other end may come", () => {
    const words = Array.from({ length: 80 }, (_, index) => `word${index} `);
    const view = streamed([...words, "**bold ", ...words]);
    expect(rowsOf(view).join(" ")).not.toContain("bold");
    expect(rowsOf(view).length).toBeGreaterThan(10);
    const closed = streamed([...words, "**bold ", ...words, "end** ", ...words]);
    expect(rowsOf(closed).join(" ")).toMatch(/ bold word0/);
  });

  test("are whole items of a list", () => {
    const item = "some words that take more than one row of the window ";
    const view = streamed(Array.from({ length: 9 }, (_, index) => [`- item${index} `, item, "\n"]).flat());
    expect(rowsOf(view).filter((row) => row.startsWith("• "))).toHaveLength(8);
  });
});
