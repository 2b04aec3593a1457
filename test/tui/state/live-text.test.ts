import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/tui/state/entry.ts";
import { type LiveText, NO_TEXT, settle, settleAll } from "../../../src/tui/state/live-text.ts";
import { times } from "../../kit/counts.ts";

/** What is printed of a text that comes in pieces. */
function streamed(pieces: readonly string[]): readonly Entry[] {
  let live: LiveText = NO_TEXT;
  const printed: Entry[] = [];
  for (const piece of pieces) {
    const { entries, rest } = settle({ ...live, text: live.text + piece });
    printed.push(...entries);
    live = rest;
  }
  return [...printed, ...settleAll(live)];
}

const words = (entries: readonly Entry[]): string =>
  entries
    .map((entry) => ("text" in entry ? entry.text : ""))
    .join("\n")
    .replaceAll(/[\s`~]+/g, "");

const block = fc.constantFrom(
  "A paragraph of words.\n\n",
  "# Heading\n\n",
  "- one\n- two\n- three\n\n",
  "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
  `\`\`\`ts\n${Array.from({ length: 30 }, (_, index) => `line${index}();`).join("\n")}\n\`\`\`\n\n`,
  `${Array.from({ length: 30 }, (_, index) => `${index + 1}. item ${index}`).join("\n")}\n\n`,
);

describe("a streaming answer", () => {
  test("is printed block by block, the last one when it ends", () => {
    const first = settle({ text: "One.\n\nTwo" });
    expect(first.entries).toEqual([{ kind: "answer", text: "One.\n\n", continues: false }]);
    expect(first.rest.text).toBe("Two");
    expect(settleAll(first.rest)).toEqual([{ kind: "answer", text: "Two", continues: false }]);
  });

  test("prints a long block of code line by line, in one language, without its marks", () => {
    const lines = Array.from({ length: 40 }, (_, index) => `const a${index} = 1;`);
    const entries = streamed([`\`\`\`js\n`, ...lines.map((line) => `${line}\n`), "```\n", "after"]);
    const code = entries.filter((entry) => entry.kind === "code");
    expect(code.length).toBeGreaterThan(10);
    expect(code.every(({ language }) => language === "js")).toBe(true);
    expect(code.map(({ continues }) => continues)).toEqual([false, ...code.slice(1).map(() => true)]);
    expect(code.map(({ text }) => text).join("\n")).toBe(lines.join("\n"));
    expect(entries.at(-1)).toEqual({ kind: "answer", text: "after", continues: false });
  });

  test("says every word once, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }), (blocks, size) => {
        const text = blocks.join("");
        const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
        const fences = /```ts/g;
        expect(words(streamed(pieces))).toBe(text.replaceAll(fences, "").replaceAll(/[\s`~]+/g, ""));
      }),
      { numRuns: times(1000) },
    );
  });

  test("keeps little back of an endless paragraph", () => {
    const { rest } = settle({ text: "word ".repeat(10_000) });
    expect(rest.text.length).toBeLessThan(20_000);
  });
});
