import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameReader } from "../../src/rpc/transport/frame-reader.ts";
import { seed, times } from "../kit/counts.ts";

interface Read {
  readonly messages: string[];
  readonly skipped: number[];
  readonly reader: FrameReader;
}

function reading(largest = 1000): Read {
  const messages: string[] = [];
  const skipped: number[] = [];
  const sink = {
    message: (text: string) => void messages.push(text),
    tooLarge: (n: number) => void skipped.push(n),
  };
  return { messages, skipped, reader: new FrameReader(sink, largest) };
}

/** Gives bytes in pieces that end at the named places. */
function pushed(reader: FrameReader, bytes: Buffer, cuts: readonly number[]): void {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  for (const [index, end] of places.entries())
    if (index > 0) reader.push(bytes.subarray(places[index - 1], end));
}

const messages = fc.array(
  fc.record({ id: fc.nat(), text: fc.string({ unit: "binary" }) }).map((value) => JSON.stringify(value)),
  { maxLength: 8 },
);
const cuts = fc.array(fc.nat({ max: 100_000 }), { maxLength: 20 });

const asLines = (texts: readonly string[]): Buffer => Buffer.from(texts.map((text) => `${text}\n`).join(""));
const asHeaders = (texts: readonly string[]): Buffer =>
  Buffer.from(texts.map((text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`).join(""));

describe("messages come out as they went in, however they are cut", () => {
  test.each([
    ["lines", asLines],
    ["headers", asHeaders],
  ] as const)("%s", (framing, framed) => {
    fc.assert(
      fc.property(messages, cuts, (texts, places) => {
        const { messages: read, reader } = reading(1_000_000);
        pushed(reader, framed(texts), places);
        reader.end();
        expect(read).toEqual(texts);
        if (texts.length > 0) expect(reader.framing).toBe(framing);
      }),
      { seed, numRuns: times(1000) },
    );
  });

  test("bytes that are anything never throw, and are never kept beyond the limit", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), cuts, (bytes, places) => {
        const { messages: read, reader } = reading(100);
        pushed(reader, Buffer.from(bytes), places);
        reader.end();
        // A block of headers that says nothing may be longer, and a broken byte becomes three.
        expect(Math.max(0, ...read.map((text) => text.length))).toBeLessThanOrEqual(9000);
      }),
      { seed, numRuns: times(1000) },
    );
  });
});

test("a line that is too large is skipped, and the next one is read", () => {
  const { messages: read, skipped, reader } = reading(10);
  pushed(reader, Buffer.from(`${"x".repeat(25)}\n{"id":1}\n`), [3, 17, 24, 26]);
  expect({ read, skipped }).toEqual({ read: ['{"id":1}'], skipped: [25] });
});

test("so is a message with headers", () => {
  const { messages: read, skipped, reader } = reading(10);
  const text = `Content-Length: 25\r\n\r\n${"x".repeat(25)}content-length:8\r\nX: y\r\n\r\n{"id":1}`;
  pushed(reader, Buffer.from(text), [3, 30, 47]);
  expect({ read, skipped }).toEqual({ read: ['{"id":1}'], skipped: [25] });
});

test("blank lines, carriage returns and a missing last end do not matter", () => {
  const { messages: read, reader } = reading();
  reader.push(Buffer.from('\n \r\n{"id":1}\r\n\r\n{"id":2}'));
  reader.end();
  expect(read.map((text) => text.trim()).filter((text) => text !== "")).toEqual(['{"id":1}', '{"id":2}']);
});

test("only the byte 0x0A ends a line: other line separators of Unicode are text", () => {
  const { messages: read, reader } = reading();
  const text = JSON.stringify({ text: "a\u2028b\u2029c\u0085d" });
  reader.push(Buffer.from(`${text}\n`));
  expect(read).toEqual([text]);
});
