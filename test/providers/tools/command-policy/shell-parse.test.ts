import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseShell } from "../../../../src/providers/tools/command-policy/hard-block/shell-parse.ts";
import { expandWord, literalText } from "../../../../src/providers/tools/command-policy/hard-block/words.ts";

const texts = (command: string): readonly (readonly (string | undefined)[])[] =>
  parseShell(command).commands.map(({ words }) => words.map(literalText));

describe("a line is read as the shell reads it", () => {
  test.each([
    ["a b  c\td", [["a", "b", "c", "d"]]],
    ["'a b' \"c d\" e\\ f", [["a b", "c d", "e f"]]],
    ["a'b'\"c\"d", [["abcd"]]],
    ["''", [[""]]],
    ['"a\\"b\\\\c\\d"', [['a"b\\c\\d']]],
    ["'a\\b'", [["a\\b"]]],
    ["a\\\nb", [["ab"]]],
    ["a \\\n b", [["a", "b"]]],
    ["a && b || c ; d | e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
    ["a&&b||c;d|e", [["a"], ["b"], ["c"], ["d"], ["e"]]],
    ["a # b; c\nd#e", [["a"], ["d#e"]]],
    ["a 2>&1 >f b", [["a", "b"]]],
    ["a>b<c", [["a"]]],
    ['echo $x "$y"', [["echo", undefined, undefined]]],
    ["echo \\$x '$y' \"\\$z\"", [["echo", "$x", "$y", "$z"]]],
    ["echo a~b ~", [["echo", "a~b", undefined]]],
  ])("%j", (command, expected) => {
    expect(texts(command)).toEqual(expected);
    expect(parseShell(command).unread).toEqual([]);
  });
});

test("joints and redirections are kept", () => {
  const { commands } = parseShell("a <in | b 2>>err && c &>all; d >&2");
  expect(commands.map(({ joint }) => joint)).toEqual(["start", "|", "&&", ";"]);
  expect(
    commands.flatMap(({ redirects }) => redirects.map(({ operator, target }) => [operator, target.source])),
  ).toEqual([
    ["<", "in"],
    [">>", "err"],
    ["&>", "all"],
    [">&", "2"],
  ]);
});

test("what a here-document says is known to its command", () => {
  const { commands, unread } = parseShell("cat <<-A <<'B' && x\n\tone\n\tA\ntwo\nB\ny");
  expect(unread).toContain("a here-document");
  expect(commands.map(({ words, input }) => [words[0]?.source, input])).toEqual([
    ["cat", "two"],
    ["x", undefined],
    ["y", undefined],
  ]);
});

test("words become what the shell makes of them", () => {
  const expand = (source: string, variables = {}): readonly string[] =>
    parseShell(source).commands[0]?.words.flatMap((word) => expandWord(word, variables)) ?? [];
  expect(expand("a$x b", { x: "1 2" })).toEqual(["a1", "2", "b"]);
  expect(expand('a"$x"b', { x: "1 2" })).toEqual(["a1 2b"]);
  expect(expand("$x", { x: " " })).toEqual([]);
  expect(expand("a$x$y-b", { x: " ", y: "" })).toEqual(["a", "-b"]);
  expect(expand("$unset '' \"$unset\"")).toEqual(["", ""]);
  expect(expand("~/a", { HOME: "/h" })).toEqual(["/h/a"]);
  expect(expand("a{b,c}{d,e}")).toEqual(
    ["abd", "acd", "abe", "ace"].sort((a, b) => (a[1] ?? "").localeCompare(b[1] ?? "")),
  );
});

test("on lines without expansions it agrees with bash about every word", () => {
  const piece = fc.constantFrom("a", "B", "1", " ", "'", '"', "\\", "-", "/", "=", "#", "  ", ".", "é", "🙂");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const line = `x ${pieces.join("")}`;
      const { commands, unread } = parseShell(line);
      fc.pre(unread.length === 0);
      const script = `x() { printf '%s\\0' "$@"; }; ${line}\n`;
      const output = execFileSync("bash", ["-c", script], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      const words = commands[0]?.words.slice(1).map(literalText) ?? [];
      // Without words, printf says one empty one.
      expect(words.length === 0 ? "\0" : words.map((word) => `${word}\0`).join("")).toBe(output);
    }),
    { numRuns: 200 },
  );
});

test("any text is read without an error", () => {
  const alphabet = "a b \n ' \" \\ $ ` ( ) { } < > | & ; # ~ * ? [ ] ! = - << $( ${ $' if do E\n".split(" ");
  fc.assert(
    fc.property(fc.array(fc.constantFrom(" ", ...alphabet), { maxLength: 60 }), (pieces) => {
      expect(() => parseShell(pieces.join(""))).not.toThrow();
    }),
    { numRuns: 2000 },
  );
});
