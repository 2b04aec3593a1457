import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, sourceFiles } from "./declarations.ts";

const LONGEST = 300;

const sizes = sourceFiles()
  .map((file) => ({ file, lines: readFileSync(join(ROOT, file), "utf8").split("\n").length - 1 }))
  .toSorted((a, b) => a.lines - b.lines);

test("no source file is longer than 300 lines", () => {
  expect(sizes.filter(({ lines }) => lines > LONGEST)).toEqual([]);
});

test("the median source file has 60 to 90 lines", () => {
  const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0;
  expect(median).toBeGreaterThanOrEqual(60);
  expect(median).toBeLessThanOrEqual(90);
});
