import stringWidth from "string-width";
import { expect, test } from "vitest";
import { NARROW } from "../../../src/tui/text/narrow.ts";

test("texts that are called narrow take a column for each code unit, alone and side by side", () => {
  const units = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const narrow = units.filter((unit) => NARROW.test(unit));
  expect(narrow.length).toBeGreaterThan(900);
  expect(narrow.filter((unit) => stringWidth(unit) !== 1)).toEqual([]);
  expect(stringWidth(narrow.join(""))).toBe(narrow.length);
  expect(NARROW.test("› Ask anything · ⠋ ─│╭ ✓ naïve… ❯")).toBe(true);
});
