import fc from "fast-check";
import { expect, test } from "vitest";
import {
  BoundedOutput,
  decodeEnds,
  type OutputSlice,
} from "../../../../src/providers/tools/spawn/bounded-output.ts";

const limits = fc.record({ head: fc.integer({ min: 0, max: 40 }), tail: fc.integer({ min: 0, max: 60 }) });
const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 20 });
const chunks = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 });

const bytesOf = (parts: readonly string[]): Buffer => Buffer.from(parts.join("").replaceAll("\uFFFD", ""));

/** Appends bytes so that characters come in pieces, and looks at them now and then, and at the end. */
function readAlong(
  output: BoundedOutput,
  all: Buffer,
  { reads, look }: { readonly reads: Iterator<boolean>; readonly look: (position: number) => OutputSlice },
): { readonly position: number; readonly got: string; readonly missed: number } {
  let position = 0;
  let got = "";
  let missed = 0;
  const read = (): void => {
    const slice = look(position);
    expect(slice.next).toBeGreaterThanOrEqual(position);
    position = slice.next;
    got += slice.text;
    missed += slice.missed;
  };
  for (let at = 0; at < all.length; at += 3) {
    output.append(all.subarray(at, at + 3));
    if (reads.next().value === true) read();
  }
  read();
  read();
  return { position, got, missed };
}

test("it keeps exactly the first and the last bytes, however they come", () => {
  fc.assert(
    fc.property(limits, chunks, ({ head, tail }, parts) => {
      const output = new BoundedOutput({ head, tail });
      for (const part of parts) output.append(part);
      const all = Buffer.concat(parts);
      const kept = output.ends();
      expect(output.total).toBe(all.length);
      expect(output.omitted).toBe(Math.max(0, all.length - head - tail));
      expect(Buffer.from(kept.head)).toEqual(all.subarray(0, head));
      const rest = all.subarray(Math.min(head, all.length));
      expect(Buffer.from(kept.tail)).toEqual(rest.subarray(Math.max(0, rest.length - tail)));
    }),
  );
});

test("slices read one after the other are the whole text, or say what they missed", () => {
  fc.assert(
    fc.property(limits, texts, fc.infiniteStream(fc.boolean()), ({ head, tail }, parts, reads) => {
      const output = new BoundedOutput({ head, tail: tail + 8 });
      const all = bytesOf(parts);
      const look = (position: number): OutputSlice => output.since(position);
      const { position, got, missed } = readAlong(output, all, { reads, look });
      expect(position).toBe(all.length);
      const whole = missed === 0 && got === all.toString();
      expect(whole || (missed > 0 && Buffer.byteLength(got) + missed <= all.length)).toBe(true);
      expect(got).not.toContain("\uFFFD");
    }),
  );
});

test("whoever follows it gets its whole beginning, then all of it or its newest bytes and what was missed", () => {
  fc.assert(
    fc.property(limits, texts, fc.infiniteStream(fc.boolean()), ({ head, tail }, parts, reads) => {
      const output = new BoundedOutput({ head, tail: tail + 8 });
      const all = bytesOf(parts);
      const look = (position: number): OutputSlice => output.following(position, 16);
      const { position, got, missed } = readAlong(output, all, { reads, look });
      expect(position).toBe(all.length);
      expect(got).not.toContain("\uFFFD");
      const beginning = all
        .subarray(0, Math.min(head, all.length))
        .toString()
        .replace(/\uFFFD+$/, "");
      expect(got.startsWith(beginning)).toBe(true);
      if (missed === 0 && output.omitted === 0) expect(got).toBe(all.toString());
      else expect(Buffer.byteLength(got) + missed).toBeLessThanOrEqual(all.length);
    }),
  );
});

test("a cut never leaves half a character", () => {
  const text = "€ä🙂".repeat(40);
  for (let head = 0; head < 20; head += 1) {
    const output = new BoundedOutput({ head, tail: 33 });
    output.append(Buffer.from(text));
    const ends = decodeEnds(output);
    expect(`${ends.head}${ends.tail}`).not.toContain("\uFFFD");
    expect(text.startsWith(ends.head)).toBe(true);
    expect(text.endsWith(ends.tail)).toBe(true);
  }
});

test("a gigabyte takes no more memory than its ends", () => {
  const output = new BoundedOutput({ head: 1000, tail: 4000 });
  const chunk = Buffer.alloc(64 * 1024, "y\n");
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 16_384; i += 1) output.append(chunk);
  expect(output.total).toBe(2 ** 30);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
});
