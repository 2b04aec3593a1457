import fc from "fast-check";
import { expect, test } from "vitest";
import { wrapWords } from "../../../src/shared/text/wrap-words.ts";

test.each([
  ["The home is not there yet", "The home is\nnot there\nyet"],
  ["short", "short"],
  ["", ""],
  ["one\n\ntwo", "one\n\ntwo"],
  ["ok   a b c d e f", "ok   a b c d\n     e f"],
  ["  see /a/very/long/path now", "  see\n  /a/very/long/path now"],
  ["日本 日本 日本 日本", "日本 日本\n日本 日本"],
  ["👍👍 👍👍 👍👍", "👍👍 👍👍\n👍👍"],
])("%j is broken between words at 12 columns", (text, lines) => {
  expect(wrapWords(text, 12)).toBe(lines);
});

test("whatever the width, no word is broken, lost or moved, and no line is too long when no word is", () => {
  const word = fc.stringMatching(/^[a-z/.:]{1,30}$/);
  const property = fc.property(
    fc.array(word, { minLength: 1 }),
    fc.integer({ min: 1, max: 80 }),
    (words, columns) => {
      const wrapped = wrapWords(words.join(" "), columns);
      expect(wrapped.split(/\s+/)).toEqual(words);
      const longest = Math.max(...words.map(({ length }) => length));
      if (longest > columns) return;
      for (const line of wrapped.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    },
  );
  fc.assert(property);
});
