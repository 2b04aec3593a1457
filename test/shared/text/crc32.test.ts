import { crc32 as nativeCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32, ofAscii } from "../../../src/shared/text/crc32.ts";

const starts = fc.integer({ min: 0, max: 0xffffffff });

test("the checksum of a text is zlib's, whatever the text says and whatever comes before it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 3000 }), starts, (text, start) => {
      expect(crc32(text, start)).toBe(nativeCrc32(text, start));
    }),
  );
  expect(crc32("")).toBe(0);
});

test("a text of ASCII is summed without zlib, and no other is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 3000 }), starts, (text, start) => {
      expect(ofAscii(text, start)).toBe(nativeCrc32(text, start));
    }),
  );
  expect(ofAscii("é", 0)).toBeUndefined();
});
