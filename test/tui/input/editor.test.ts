import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type TextEditor,
  EMPTY_EDITOR,
  insert,
  move,
  paste,
  redo,
  removeText,
  setText,
  setWritten,
  undo,
  yank,
} from "../../../src/tui/input/text-editor.ts";
import { expanded, withoutPastes } from "../../../src/tui/input/written.ts";
import { recallOf, remembered, searchBack, recallNext } from "../../../src/tui/input/prompt-recall.ts";
import { layoutRows, offsetAt } from "../../../src/tui/input/composer-rows.ts";
import { times } from "../../kit/counts.ts";

const typed = (text: string): TextEditor => insert(EMPTY_EDITOR, text);

describe("the editor", () => {
  test("moves and deletes by what a person sees as a character", () => {
    const editor = removeText(typed("a👩‍💻"), "left");
    expect(editor.text).toBe("a");
    expect(move(typed("añ"), "left").caret).toBe(1);
  });

  test("cuts words and lines, and puts them back", () => {
    const cut = removeText(typed("one two"), "wordLeft");
    expect(cut.text).toBe("one ");
    expect(yank(cut).text).toBe("one two");
    expect(removeText(typed("one\ntwo"), "lineStart").text).toBe("one\n");
  });

  test("goes back step by step, and forth again", () => {
    const editor = insert(typed("a"), "b");
    expect(undo(editor).text).toBe("a");
    expect(redo(undo(editor)).text).toBe("ab");
  });

  test("shows a long paste as a chip, deletes it as one, and sends it whole", () => {
    const long = Array.from({ length: 9 }, (_, index) => `row ${index}`).join("\r\n");
    const editor = insert(paste(typed("see: "), long), " ok");
    expect(editor.text).toBe("see: [Pasted #1: 9 lines] ok");
    expect(expanded(editor)).toBe(`see: ${long.replaceAll("\r\n", "\n")} ok`);
    expect(removeText(paste(typed("see: "), long), "left").text).toBe("see: ");
    expect(paste(typed(""), `${long}\n`).text).toBe("[Pasted #1: 9 lines]");
  });

  test("a chip is what was pasted there: not a chip of an earlier text, nor words that read like one", () => {
    const rows = (word: string): string => Array.from({ length: 9 }, () => word).join("\n");
    const label = "[Pasted #1: 9 lines]";
    const old = paste(typed("old: "), rows("old"));
    const recalled = setWritten(paste(EMPTY_EDITOR, rows("new")), old);
    expect(recalled.text).toBe(`old: ${label}`);
    expect(expanded(recalled)).toBe(`old: ${rows("old")}`);
    expect(expanded(undo(recalled))).toBe(rows("new"));
    expect(expanded(redo(undo(recalled)))).toBe(`old: ${rows("old")}`);
    expect(expanded(setWritten(old, withoutPastes(label)))).toBe(label);
    expect(expanded(insert(removeText(old, "left"), label))).toBe(`old: ${label}`);
    expect(expanded(paste(typed(label), rows("new")))).toBe(label + rows("new"));
    expect(expanded(paste(old, rows(label)))).toBe(`old: ${rows("old")}${rows(label)}`);
    const cut = removeText(old, "lineStart");
    const yanked = yank(setWritten(cut, paste(EMPTY_EDITOR, rows("new"))));
    expect(expanded(yanked)).toBe(`${rows("new")}old: ${rows("old")}`);
    expect(removeText(move(old, "lineStart"), "right").text).toBe("ld: " + label);
    expect(move({ ...old, caret: 5 }, "right").caret).toBe(old.text.length);
  });

  test("takes nothing that a terminal would obey", () => {
    expect(paste(EMPTY_EDITOR, "a\u001b]0;title\u0007b\u001b[201~c").text).toBe("abc");
  });
});

describe("the rows of the composer", () => {
  test("have the caret on the character that it stands before, however wide the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.integer({ min: 3, max: 20 }),
        (text, columns) => {
          const editor = setText(EMPTY_EDITOR, text);
          const rows = layoutRows(editor.text, editor.caret, columns);
          expect(rows.caret.row).toBe(rows.rows.length - 1);
          expect(rows.caret.column).toBeLessThanOrEqual(columns);
          expect(offsetAt(rows, rows.caret.row, rows.caret.column)).toBe(editor.text.length);
        },
      ),
      { numRuns: times(2000) },
    );
  });
});

describe("what was sent before", () => {
  test("is walked through with the draft at its end", () => {
    const recall = remembered(remembered(recallOf([]), withoutPastes("first")), withoutPastes("second"));
    const back = recallNext(recall, -1, withoutPastes("draft"));
    expect(back?.shown.text).toBe("second");
    const again = back && recallNext(back.recall, -1, withoutPastes("second"));
    expect(again?.shown.text).toBe("first");
    expect(again && recallNext(again.recall, -1, withoutPastes("first"))).toBeUndefined();
    const forth = again && recallNext(again.recall, 1, withoutPastes("first"));
    expect(forth && recallNext(forth.recall, 1, withoutPastes("second"))?.shown.text).toBe("draft");
  });

  test("is found by its words, newest first", () => {
    const entries = ["fix the test", "write docs", "fix the build"].map(withoutPastes);
    expect(searchBack(entries, "FIX", entries.length)).toBe(2);
    expect(searchBack(entries, "fix", 2)).toBe(0);
    expect(searchBack(entries, "none", 3)).toBeUndefined();
  });
});
