import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedOutput } from "../../../../src/providers/tools/spawn/bounded-output.ts";
import { limitsFor, previewOf, showOutput } from "../../../../src/providers/tools/terminal/output-text.ts";
import { cleanOutput } from "../../../../src/shared/text/control-sequences.ts";

test.each([
  ["plain\ntext\t1\n", "plain\ntext\t1\n"],
  ["\u001B[1;31mred\u001B[0m", "red"],
  ["\u001B]0;title\u0007after", "after"],
  ["a\r\nb\r\n", "a\nb\n"],
  ["1%\r2%\r3%\n", "3%\n"],
  ["a\u0000b\u0007c\u0008d", "abcd"],
])("%j looks like %j", (raw, clean) => {
  expect(cleanOutput(raw)).toBe(clean);
});

test("a shown output is never longer than it may be, and keeps both ends", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { maxLength: 30 }), (parts) => {
      const limit = 200;
      const output = new BoundedOutput(limitsFor(limit));
      for (const part of parts) output.append(Buffer.from(part));
      const whole = cleanOutput(parts.join("")).trimEnd();
      const { text, isCut } = showOutput(output, limit);
      expect(text.length).toBeLessThanOrEqual(limit + 50);
      expect(isCut || text === whole).toBe(true);
      expect(text.isWellFormed()).toBe(true);
    }),
  );
});

test("a preview is the newest lines", () => {
  const output = new BoundedOutput({ head: 100, tail: 5000 });
  expect(previewOf(output)).toBe("");
  for (let i = 0; i < 1000; i += 1) output.append(Buffer.from(`line ${i}\n\n`));
  expect(previewOf(output)).toBe("line 995\nline 996\nline 997\nline 998\nline 999");
  output.append(Buffer.from("x".repeat(5000)));
  expect(previewOf(output)).toBe("x".repeat(300));
});
