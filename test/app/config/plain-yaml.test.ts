import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { readPlainYaml } from "../../../src/app/config/plain-yaml.ts";
import { seed, times } from "../../kit/counts.ts";

/** What a real parser makes of a text; `undefined` for what it refuses. */
function parsed(text: string): unknown {
  const document = parseDocument(text);
  return document.errors.length > 0 ? undefined : (document.toJS() ?? {});
}

const PLAIN = [
  ["nothing", ""],
  ["comments alone", "# model:\n#   provider: local\n"],
  ["a block", "model:\n  provider: local\n  base_url: http://127.0.0.1:8000/v1\n  context_length: 64000\n"],
  [
    "blocks in blocks",
    "platforms:\n  webhook:\n    enabled: true\n    extra:\n      port: 8644\n  api_server:\n    enabled: false\n",
  ],
  ["a key without a value", "model:\n  provider:\ngateway:\n"],
  ["comments between keys and behind values", "a: 1 # one\n# two\n  # three\nb:\n      # four\n  c: x#y\n"],
  ["quoted text", "a: \"two words\"\nb: '# no comment'\nc: ''\n"],
  ["spaces behind", "a:  1  \nb: \n   c: d   \n\n"],
  ["names of all that objects have", "constructor: 1\ntoString: 2\nhasOwnProperty:\n  valueOf: 3\n"],
] as const;

const LEFT = [
  ["a list", "a:\n  - b\n"],
  ["a list in brackets", "a: [b]\n"],
  ["a block in braces", "a: {b: c}\n"],
  ["a text of two words", "a: two words\n"],
  ["a text of two lines", "a: one\n  two\n"],
  ["a block under a value", "a: b\n  c: d\n"],
  ["a key that is there twice", "a: b\na: c\n"],
  ["keys that do not stand under each other", "a:\n    b: c\n  d: e\n"],
  ["an anchor", "a: &b c\n"],
  ["a tag", "a: !!str 1\n"],
  ["an escape", 'a: "\\n"\n'],
  ["a fraction", "a: 1.5\n"],
  ["a number in another base", "a: 0x10\n"],
  ["a number with a leading zero", "a: 010\n"],
  ["another spelling of a truth", "a: True\n"],
  ["a key that is no text", "true: a\n"],
  ["a tab", "a:\n\tb: c\n"],
  ["a second document", "a: b\n---\nc: d\n"],
  ["lines of Windows", "a: b\r\nc: d\r\n"],
  ["a byte order mark", "\uFEFFa: b\n"],
  ["no mapping", "hello\n"],
  ["a key that has no space behind its colon", "a:b\n"],
  ["a first key that is indented", "  a: b\n"],
] as const;

const WORDS = [
  "",
  "x",
  "http://h:1/v",
  "a:",
  "/p",
  "0",
  "-1",
  "12",
  "012",
  "1.5",
  "1e3",
  "true",
  "True",
  "null",
  "~",
  "no",
];
const MARKS = [
  "-",
  "- x",
  '"q"',
  '"q # q"',
  "'s'",
  "'it''s'",
  '"\\t"',
  "|",
  ">",
  "*a",
  "&a b",
  "!t",
  "@x",
  "`x`",
  "%",
  "#c",
].concat(["x #c", "x#c", "x y", "{}", "[]", "é", "\u2028"]);

describe("plain YAML", () => {
  test.each(PLAIN)("with %s is read as a real parser reads it", (_name, text) => {
    expect(readPlainYaml(text)).toEqual(parsed(text));
  });

  test.each(LEFT)("with %s is left to a real parser", (_name, text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });

  test("is what a real parser would give, or is left to it, however lines are put together", () => {
    const indent = fc.constantFrom("", "", "  ", "  ", "    ", " ", "\t");
    const key = fc.constantFrom(
      "a",
      "b",
      "c",
      "model",
      "base_url",
      "x-y",
      "true",
      "Null",
      "1",
      "a b",
      "?",
      "__proto__",
      '"q"',
    );
    const colon = fc.constantFrom(": ", ": ", ": ", ":", ":  ", " : ", "");
    const value = fc.oneof(...[WORDS, MARKS].map((list) => fc.constantFrom(...list)));
    const end = fc.constantFrom("\n", "\n", "\n", " \n", " # c\n", "\n\n", "\r\n", "");
    const strange = fc.tuple(indent, key, colon, value, end).map((parts) => parts.join(""));
    const plain = fc
      .tuple(
        fc.constantFrom("", "  "),
        fc.stringMatching(/^[a-h]$/),
        fc.constantFrom("", " x", " 1", " 'q' # c"),
      )
      .map(([before, name, after]) => `${before}${name}:${after}\n`);
    const line = fc.oneof({ weight: 3, arbitrary: plain }, strange);
    const text = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join(""));
    let count = 0;
    fc.assert(
      fc.property(text, (written) => {
        const read = readPlainYaml(written);
        if (read === undefined) return;
        count += 1;
        expect(read).toEqual(parsed(written));
      }),
      { seed, numRuns: times(20_000) },
    );
    expect(count).toBeGreaterThan(times(20_000) / 50);
  });
});
