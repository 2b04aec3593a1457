import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "../../../src/app/rpc/unified-diff.ts";
import { seed, times } from "../../kit/counts.ts";

const diff = (oldText: string | null, newText: string): string =>
  unifiedDiff({ type: "diff", path: "/a.txt", oldText, newText });

test("changes stand in hunks with the lines around them", () => {
  const before = Array.from({ length: 20 }, (_none, index) => `line ${index + 1}`);
  const after = before.with(4, "LINE 5").toSpliced(15, 1);
  expect(diff(before.join("\n"), after.join("\n")).split("\n")).toEqual([
    "--- a/a.txt",
    "+++ b/a.txt",
    "@@ -2,7 +2,7 @@",
    " line 2",
    " line 3",
    " line 4",
    "-line 5",
    "+LINE 5",
    " line 6",
    " line 7",
    " line 8",
    "@@ -13,7 +13,6 @@",
    " line 13",
    " line 14",
    " line 15",
    "-line 16",
    " line 17",
    " line 18",
    " line 19",
  ]);
});

test("a new file comes from nowhere, the same text is no change, a long change is cut", () => {
  expect(diff(null, "a\n")).toBe("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+a");
  expect(diff("a\n", "a\n")).toBe("");
  expect(diff("", "x\n".repeat(5000))).toMatch(/… 4601 more lines$/);
});

test("both texts can be read from it", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      fc.pre(before.join() !== after.join());
      const shown = diff(before.join("\n"), after.join("\n")).split("\n").slice(2);
      const kept = (mark: string): string[] =>
        shown.filter((line) => line.startsWith(" ") || line.startsWith(mark)).map((line) => line.slice(1));
      expect(kept("-")).toEqual(before);
      expect(kept("+").filter((line) => !line.startsWith("@"))).toEqual(after);
    }),
    { seed, numRuns: times(1000) },
  );
});
