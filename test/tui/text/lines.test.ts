import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineText } from "../line-text.ts";
import { lineWidth, span } from "../../../src/tui/text/line.ts";
import { markdownLines } from "../../../src/tui/text/markdown.ts";
import { HELP } from "../../../src/tui/overlays/help.ts";
import { makeTheme } from "../../../src/tui/text/theme.ts";
import { wrap, wrapColumns, wrapExact, wrapSpans } from "../../../src/tui/text/wrap.ts";
import { times } from "../../kit/counts.ts";

const shown = (text: string, columns: number): readonly string[] =>
  markdownLines(text, columns).map(lineText);

/** Text as models, tools and people write it: words, wide characters, breaks, and what terminals obey. */
const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        "word ",
        "漢字",
        "👩‍💻",
        "\n",
        "\t",
        "\u001b[2J",
        "\u001b]52;c;eA==\u0007",
        "\u009b1A",
        "\u202e",
        "**",
        "`",
        "| ",
        "- ",
        "# ",
      ),
    )
    .map((parts) => parts.join("")),
);

describe("wrapping", () => {
  test("breaks between words, drops the space there and keeps the one at the beginning of a line", () => {
    expect(wrap("aaa bbb ccc", 7).map(lineText)).toEqual(["aaa bbb", "ccc"]);
    expect(wrap("  aaa bbb", 6).map(lineText)).toEqual(["  aaa", "bbb"]);
    expect(wrap("aaaaaaaaaa b", 4).map(lineText)).toEqual(["aaaa", "aaaa", "aa b"]);
  });

  test("breaks a word that is longer than a line behind its marks", () => {
    expect(wrap("see /usr/local/share/file.txt", 12).map(lineText)).toEqual([
      "see",
      "/usr/local/",
      "share/",
      "file.txt",
    ]);
    expect(wrap("a_long_identifier", 8).map(lineText)).toEqual(["a_long_", "identifi", "er"]);
  });

  test("keeps the columns of plain text when it breaks its lines", () => {
    const text = "  /help     List the commands of the host\n  /quit     Leave";
    expect(wrapColumns(text, 28).map(lineText)).toEqual([
      "  /help     List the",
      "            commands of the",
      "            host",
      "  /quit     Leave",
    ]);
  });

  test("does not break where only the look changes", () => {
    const spans = [span("see "), span("bold", "bold"), span(".")];
    expect(wrapSpans(spans, 8).map(lineText)).toEqual(["see", "bold."]);
  });

  test("makes no line wider than there is room, whatever the text", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 60 }), (text, columns) => {
        for (const lines of [
          wrap(text, columns),
          wrapExact([span(text)], columns),
          markdownLines(text, Math.max(columns, 12)),
        ])
          for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(Math.max(columns, 12));
      }),
      { numRuns: times(5000) },
    );
  });
});

describe("markdown", () => {
  test("shows headings, lists, quotes, code and links for reading", () => {
    const text =
      "# Title\n\n1. one\n2. two\n   - inner\n\n> said\n\n```js\nlet a;\n```\n\n[docs](https://example.com)";
    expect(shown(text, 60)).toEqual([
      "Title",
      "",
      "1. one",
      "2. two",
      "   • inner",
      "",
      "▎ said",
      "",
      "│ let a;",
      "",
      "docs (https://example.com)",
    ]);
  });

  test("gives a table as much room as there is, and stacks it when there is none", () => {
    const table = "| name | count |\n|---|--:|\n| apples | 3 |\n| pears | 12 |";
    expect(shown(table, 40)).toEqual(["name    count", "──────  ─────", "apples      3", "pears      12"]);
    expect(shown(table, 9)).toEqual(["name:", "apples", "count: 3", "", "name:", "pears", "count: 12"]);
  });

  test("breaks no path behind the slash that it begins with, also as the value of an option", () => {
    const wrapped = (lines: ReturnType<typeof wrap>) => lines.map(lineText);
    const path = "/tmp/a-long-name-of-a-folder/of/another";
    expect(wrapped(wrap(`rm -rf ${path}`, 20))).toEqual([
      "rm -rf",
      "/tmp/a-long-name-of-",
      "a-folder/of/another",
    ]);
    expect(wrapped(wrap(`/${"x".repeat(30)}`, 12))).toEqual([
      `/${"x".repeat(11)}`,
      "x".repeat(12),
      "x".repeat(7),
    ]);
    expect(wrapped(wrap("--directory=/a-name-of-words/x", 20))).toEqual([
      "--directory=/a-name-",
      "of-words/x",
    ]);
    expect(wrapped(wrap("--directory-of-it=/tmpdir/x", 20))).toEqual(["--directory-of-it=", "/tmpdir/x"]);
    expect(wrapped(wrap("https://example.com/some/where", 20))).toEqual([
      "https://example.com/",
      "some/where",
    ]);
  });

  test("breaks no word in a table: a column is as wide as its longest word, or the rows are stacked", () => {
    const table = "| a | b |\n|---|---|\n| internationalisation of it | one two three four five six |";
    expect(shown(table, 36)).toEqual([
      "a                     b",
      "────────────────────  ──────────────",
      "internationalisation  one two three",
      "of it                 four five six",
    ]);
    expect(shown(table, 24)).toEqual([
      "a: internationalisation",
      "of it",
      "b: one two three four",
      "five six",
    ]);
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,14}$/), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 20, max: 80 }),
        (words, columns) => {
          const cells = words.join(" ");
          const lines = shown(`| x | y |\n|---|---|\n| ${cells} | ${cells} |`, columns).join("\n");
          for (const word of words) expect(lines.split(/[^a-z]+/)).toContain(word);
        },
      ),
      { numRuns: times(1000) },
    );
  });
});

// Finding control characters is what this is for.
/* oxlint-disable no-control-regex */
describe("the way to the terminal", () => {
  test("lets no text of others speak to it", () => {
    const theme = makeTheme({ depth: "true", background: "dark" });
    fc.assert(
      fc.property(anyText, (text) => {
        const written = theme.ansi([span(text, "bold", "error")]);
        expect(written.replaceAll(/\u001b\[[\d;]*m/g, "")).not.toMatch(
          /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        );
      }),
      { numRuns: times(10_000) },
    );
  });

  test("uses no colour when none is wanted", () => {
    const theme = makeTheme({ depth: "none", background: "dark" });
    expect(theme.ansi([span("a", "error"), span("b", "bold")])).toBe("a\u001b[1mb\u001b[0m");
  });
});

test("the help fits: no word of it is broken, down to 46 columns", () => {
  const words = (columns: number): ReadonlySet<string> =>
    new Set(shown(HELP, columns).flatMap((line) => line.split(/[\s│─]+/)));
  const whole = words(300);
  expect(whole.size).toBeGreaterThan(200);
  for (let columns = 46; columns <= 120; columns += 1) {
    const lines = shown(HELP, columns);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    const broken = [...words(columns)].filter(
      (word) => !whole.has(word) && !whole.has(word.replace(/:$/, "")),
    );
    expect(broken, `at ${columns} columns`).toEqual([]);
  }
});
