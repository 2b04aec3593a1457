import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteChunks } from "../../../../src/providers/models/request/byte-chunks.ts";
import { times } from "../../../kit/counts.ts";

const texts = fc.array(
  fc
    .tuple(fc.string({ unit: "binary" }), fc.constantFrom(1, 10, 3000))
    .map(([text, often]) => text.repeat(often)),
);
const join = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString("hex");

test("any texts are their UTF-8, whole and in part, wherever the chunks end", () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (parts, one, other) => {
      const bytes = new ByteChunks();
      for (const part of parts) bytes.append(part);
      // Each text was written by itself.
      const whole = Buffer.concat(parts.map((part) => Buffer.from(part)));
      expect(bytes.size).toBe(whole.length);
      const [from = 0, to = 0] = [one, other]
        .map((place) => place % (whole.length + 1))
        .toSorted((a, b) => a - b);
      expect(join(bytes.between(from, to))).toBe(whole.subarray(from, to).toString("hex"));
      expect(join(bytes.between(0, bytes.size))).toBe(whole.toString("hex"));
    }),
    { numRuns: times(1000) },
  );
});

test("bytes that were given out are not written again by one that goes on from them", () => {
  const bytes = new ByteChunks();
  bytes.append("one two");
  const given = bytes.between(0, 7);
  const shared = new ByteChunks(bytes.between(0, 4));
  shared.append("three");
  bytes.append(" and more");
  expect(Buffer.concat(given).toString()).toBe("one two");
  expect(Buffer.concat(shared.between(0, shared.size)).toString()).toBe("one three");
  expect(Buffer.concat(bytes.between(0, bytes.size)).toString()).toBe("one two and more");
});
