import fc from "fast-check";
import { marked, type Token, type Tokens } from "marked";
import { describe, expect, test } from "vitest";
import {
  MATRIX_HTML,
  SLACK_MRKDWN,
  TELEGRAM_HTML,
} from "../../../src/providers/delivery/markdown/flavour.ts";
import { markdownBlocks } from "../../../src/providers/delivery/markdown/lex.ts";
import { markdownParts, type MessageRoom } from "../../../src/providers/delivery/markdown/parts.ts";
import { splitMarkdown } from "../../../src/providers/delivery/markdown/split.ts";

/** What a text says, and as what. */
interface Said {
  /** Blocks of code, one behind the other, without the ends of their lines. */
  code: string;
  /** Words in spans of code, and all other words. */
  readonly spans: string[];
  readonly words: string[];
  /** Numbers of entries, and the words that they begin with. */
  readonly numbers: string[];
}

function saidIn(
  tokens: readonly Token[],
  said: Said = { code: "", spans: [], words: [], numbers: [] },
): Said {
  for (const token of tokens) {
    if (token.type === "code") said.code += String(token["text"]).replaceAll("\n", "");
    else if (token.type === "codespan") said.spans.push(...wordsIn(String(token["text"])));
    else if (token.type === "list") {
      const { items, ordered, start } = token as Tokens.List;
      for (const [index, item] of items.entries()) {
        const [first = ""] = wordsIn(item.text);
        if (ordered && !/^(?:[-*+>~`]|\d+[.)])/.test(item.text))
          said.numbers.push(`${Number(start) + index} ${first}`);
        saidIn(item.tokens, said);
      }
    } else if ("tokens" in token && token.tokens !== undefined) saidIn(token.tokens, said);
    else said.words.push(...wordsIn(token.raw));
  }
  return said;
}

const wordsIn = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

const saidByAll = (parts: readonly string[]): Said => {
  const said: Said = { code: "", spans: [], words: [], numbers: [] };
  for (const part of parts) saidIn(markdownBlocks(part), said);
  return said;
};

/** Numbers its words, so that each is another one. */
class Writer {
  #count = 0;

  word(before: string): string {
    this.#count += 1;
    return `${before}${this.#count}`;
  }

  text(size: number): string {
    const words = Array.from({ length: size }, (_, index) =>
      index % 9 === 3
        ? `\`${this.word("s")} *${this.word("s")}\``
        : index % 9 === 7
          ? `**${this.word("w")}**`
          : this.word("w"),
    );
    return words.join(size % 3 === 0 ? "\n" : " ");
  }

  code(size: number): string {
    const lines = [
      "  if (__it__ and so on) {",
      "",
      "# no heading",
      "- no entry of a list",
      "> no quote of anybody",
      "1. none",
      "    call(it);   ",
    ];
    return Array.from(
      { length: size },
      (_, index) => lines[(index * 5 + size) % lines.length] + (index % 3 === 1 ? "" : this.word("c")),
    )
      .concat(`end ${"long ".repeat(size)}`)
      .join("\n");
  }
}

type Block =
  | { readonly kind: "text"; readonly size: number }
  | { readonly kind: "code"; readonly size: number; readonly fence: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly kind: "list";
      readonly mark: string;
      readonly start: number;
      readonly items: readonly (readonly Block[])[];
    };

const size = fc.integer({ min: 1, max: 25 });
const leaf = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), size }),
  fc.record({
    kind: fc.constant("code" as const),
    size,
    fence: fc.constantFrom("```ts", "````markdown", "~~~", "~~~~py title=x"),
  }),
);
const blocks = (inner: fc.Arbitrary<Block>) => fc.array(inner, { minLength: 1, maxLength: 3 });
const { block } = fc.letrec<{ block: Block }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record({ kind: fc.constant("quote" as const), blocks: blocks(tie("block")) }),
    fc.record({
      kind: fc.constant("list" as const),
      mark: fc.constantFrom("-", "*", ".", ")"),
      start: fc.integer({ min: 1, max: 120 }),
      items: fc.array(blocks(tie("block")), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));

/** Writes blocks as Markdown; a heading ends each list, which would be one with the next. */
function written(all: readonly Block[], writer: Writer): string {
  const texts = all.map((each) => {
    if (each.kind === "text") return writer.text(each.size);
    if (each.kind === "code") {
      const inner = each.fence.startsWith("````") ? "\n```sh\nrun it\n```\n" : "\n";
      return `${each.fence}\n${writer.code(each.size)}${inner}${/^.\W*/.exec(each.fence)?.[0] ?? ""}`;
    }
    if (each.kind === "quote")
      return `${written(each.blocks, writer).replaceAll(/^/gm, "> ")}\n\n## ${writer.word("h")}`;
    const entries = each.items.map((item, index) => {
      const mark = /[.)]/.test(each.mark) ? `${each.start + index}${each.mark} ` : `${each.mark} `;
      const lines = written(item, writer).split("\n");
      return lines
        .map((line, at) => (at === 0 ? mark : line === "" ? "" : " ".repeat(mark.length)) + line)
        .join("\n");
    });
    return `${entries.join("\n\n")}\n\n## ${writer.word("h")}`;
  });
  return texts.join("\n\n");
}

const lines = (count: number, before: string): string =>
  Array.from({ length: count }, (_, index) => `${before}print("line ${index} of __code__ *x*")`).join("\n");

describe("code that is longer than a message", () => {
  test("is closed at the end of each and opened again in the next, in an entry of a list", () => {
    const parts = splitMarkdown(
      `- Run this:\n\n  \`\`\`py\n${lines(100, "  ")}\n  \`\`\`\n\nThat is all.`,
      2000,
    );
    expect(parts.length).toBeGreaterThan(1);
    expect(parts[0]).toBe("- Run this:");
    for (const part of parts.slice(1)) expect(part).toMatch(/^```py\nprint[\s\S]*\n```/);
    expect(parts.at(-1)).toMatch(/\n```\n\nThat is all\.$/);
    expect(saidByAll(parts).code).toBe(lines(100, "").replaceAll("\n", ""));
    expect(saidByAll(parts).words).toEqual(["Run", "this", "That", "is", "all"]);
  });

  test("has the signs of the quote that it is in before each line", () => {
    const parts = splitMarkdown(`> Look:\n>\n> \`\`\`py\n${lines(100, "> ")}\n> \`\`\`\n`, 2000);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(part.split("\n").filter((line) => !line.startsWith(">"))).toEqual([]);
    expect(saidByAll(parts).code).toBe(lines(100, "").replaceAll("\n", ""));
  });

  test("keeps a fence of its own, with what stands behind it", () => {
    const inner = Array.from(
      { length: 60 },
      (_, index) => `# Title ${index}\n\n\`\`\`sh\nnpm i ${index}\n\`\`\``,
    ).join("\n\n");
    for (const fence of ["````", "~~~"]) {
      const parts = splitMarkdown(`${fence}markdown title="x y"\n${inner}\n${fence}\n\nDone.`, 500);
      expect(parts.length).toBeGreaterThan(2);
      for (const part of parts) expect(part.startsWith(`${fence}markdown title="x y"\n`)).toBe(true);
      expect(saidByAll(parts).code).toBe(inner.replaceAll("\n", ""));
      expect(saidByAll(parts).words).toEqual(["Done"]);
    }
  });

  test("leaves the numbers of a list, however they are written", () => {
    const entry = `1. Step\n\n   \`\`\`py\n${lines(12, "   ")}\n   \`\`\`\n   - deep\n\n`;
    const parts = splitMarkdown(entry.repeat(12), 900);
    expect(parts.flatMap((part) => part.match(/^\d+(?=\. Step$)/gm) ?? []).map(Number)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
    expect(saidByAll(parts).code).toBe(lines(12, "").replaceAll("\n", "").repeat(12));
  });
});

test("a span of code is not cut, or is one on both sides", () => {
  const long = Array.from({ length: 30 }, (_, index) => `word \`code ${index} of it\` and`).join(" ");
  const parts = splitMarkdown(`${long} \`${"x".repeat(300)}\` end`, 120);
  expect(parts.filter((part) => part.length > 120)).toEqual([]);
  expect(saidByAll(parts).words.filter((word) => !["word", "and", "end"].includes(word))).toEqual([]);
  expect(saidByAll(parts).spans.join("")).toContain("x".repeat(300));
});

/** Longer blocks are read in pieces that may end anywhere. */
const LONGEST_BLOCK = 120_000;
const documents = fc
  .array(block, { minLength: 1, maxLength: 6 })
  .map((all) => written(all, new Writer()))
  .filter(({ length }) => length <= LONGEST_BLOCK);

test("short lines deep in lists are cut between them, and not within their words and spans", () => {
  const lines = Array.from({ length: 40 }, (_, index) =>
    index % 8 === 7 ? `\`first${index} second${index}\`` : `w${index}`,
  );
  const deep = ["10) ", "20) ", "30) ", "40) ", "50) "].join("");
  const source = `${deep}${lines.join(`\n${" ".repeat(deep.length)}`)}`;
  const parts = splitMarkdown(source, 122);
  expect(parts.filter((part) => part.length > 122)).toEqual([]);
  expect(saidByAll(parts)).toEqual(saidIn(marked.lexer(source)));
});

test("a block of 100,000 characters in which others are keeps them", () => {
  const words = "word ".repeat(20).trim();
  const entry = `  - ${words}\n\n    - deeper ${words}\n\n      more ${words}\n\n`;
  const source = `- first\n\n${entry.repeat(300)}`.replaceAll(/^/gm, "> ");
  const parts = splitMarkdown(source, 2000);
  expect(source.length).toBeGreaterThan(100_000);
  expect(saidByAll(parts)).toEqual(saidIn(marked.lexer(source)));
});

describe("Markdown of lists, quotes, code and paragraphs", () => {
  test("is cut so that every part fits, and code stays code, and all else what it was", () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 120, max: 2500 }), (source, limit) => {
        const parts = splitMarkdown(source, limit);
        expect(parts.filter((part) => part.length > limit)).toEqual([]);
        expect(saidByAll(parts)).toEqual(saidIn(marked.lexer(source)));
      }),
    );
  });

  test.each<readonly [string, MessageRoom, RegExp]>([
    [
      "Telegram",
      { limit: 4096, flavour: TELEGRAM_HTML },
      /<pre>(?:<code[^>]*>)?([\s\S]*?)(?:<\/code>)?<\/pre>/g,
    ],
    [
      "Matrix",
      { limit: 3000, largest: 9000, flavour: MATRIX_HTML },
      /<pre>(?:<code[^>]*>)?([\s\S]*?)(?:<\/code>)?<\/pre>/g,
    ],
    ["Slack", { limit: 4000, flavour: SLACK_MRKDWN }, /$^/g],
    ["Discord", { limit: 2000, readsMarkdown: true }, /$^/g],
  ])("fits into the messages of %s as these are measured", (_name, room, code) => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 450, max: room.limit }), (source, limit) => {
        const parts = markdownParts(source, { ...room, limit });
        const original = saidIn(marked.lexer(source));
        for (const { text, source: part } of parts) {
          expect((room.flavour?.seen?.(text) ?? text).length).toBeLessThanOrEqual(limit);
          expect(Buffer.byteLength(JSON.stringify([part, text]))).toBeLessThanOrEqual(
            room.largest ?? Infinity,
          );
        }
        expect(saidByAll(parts.map((part) => part.source))).toEqual(original);
        if (room.flavour?.seen === undefined) return;
        const shown = parts.flatMap(({ text }) => [...text.matchAll(code)].map(([, lines = ""]) => lines));
        const bare = shown.join("").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
        expect(bare.replaceAll("\n", "")).toBe(original.code);
      }),
    );
  });
});
