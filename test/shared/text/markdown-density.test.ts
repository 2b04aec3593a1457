import { expect, test } from "vitest";
import { TELEGRAM_HTML } from "../../../src/providers/delivery/index.ts";
import { markdownParts } from "../../../src/providers/delivery/markdown/parts.ts";
import { isDenseMarkdown } from "../../../src/shared/text/markdown-density.ts";
import { markdownLines } from "../../../src/tui/text/markdown.ts";

test.each(["1. ", "- ", "> - ", "* 2) "])(
  "entries %jin each other, deeper than anybody writes, are words as they stand",
  (mark) => {
    // How deep is too deep for what reads it, and for what writes it, is up to the stack.
    for (let depth = 500; depth <= 4000; depth += 250) {
      const text = `${mark.repeat(depth)}end`;
      const shown = markdownLines(text, 76).map((line) => line.map((span) => span.text).join(""));
      expect(shown.join("")).toMatch(/end$/);
      const sent = markdownParts(text, { limit: 16_000, flavour: TELEGRAM_HTML });
      expect(sent.map((part) => part.text).join("")).toMatch(/end$/);
    }
  },
);

test("a rule of many signs is none of them, nor is code", () => {
  const deep = "- ".repeat(60);
  expect(isDenseMarkdown(`Above\n\n${deep}\n\nbelow`)).toBe(false);
  expect(isDenseMarkdown(`\`\`\`\n${deep}x\n\`\`\``)).toBe(false);
  expect(isDenseMarkdown(`${deep}x`)).toBe(true);
});

test("a text of very many lines is cut where code is left alone", () => {
  const room = { limit: 2000, readsMarkdown: true, mentions: { words: "outside code", tags: true } } as const;
  expect(markdownParts(`${"\n\n".repeat(200_000)}end`, room).at(-1)?.text).toBe("end");
});
