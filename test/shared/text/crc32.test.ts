import { crc32 as nativeCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32, RunningCrc32 } from "../../../src/shared/text/crc32.ts";

const starts = fc.integer({ min: 0, max: 0xffffffff });
// Halves of pairs are among them.
const units = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const texts = fc.oneof(
  fc.string({ unit: "binary-ascii", maxLength: 3000 }),
  fc.string({ unit: "binary", maxLength: 3000 }),
  fc.string({ unit: units, maxLength: 100 }),
);

test("the checksum of a text is zlib's, whatever the text says and whatever comes before it", () => {
  fc.assert(
    fc.property(texts, starts, (text, start) => {
      expect(crc32(text, start)).toBe(nativeCrc32(text, start));
    }),
  );
  expect(crc32("")).toBe(0);
});

test("parts of texts, one after the other, have the checksum of what they are together", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, fc.nat(100), fc.nat(3000)), { maxLength: 5 }), (parts) => {
      const sum = new RunningCrc32();
      let bytes = 0;
      for (const [text, from, length] of parts) {
        sum.add(text, from, Math.min(text.length, from + length));
        bytes = nativeCrc32(text.slice(from, from + length), bytes);
      }
      expect(sum.value).toBe(bytes);
    }),
  );
});
