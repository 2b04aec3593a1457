import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { InputLine } from "../../src/jsonrpc/index.ts";
import { FrameReader } from "../../src/rpc/transport/frame-reader.ts";
import { seed, times } from "../kit/counts.ts";

interface Read {
  readonly messages: string[];
  readonly skipped: number[];
  readonly reader: FrameReader;
}

function reading(largest = 1000): Read {
  return { messages: [], skipped: [], reader: new FrameReader(largest) };
}

/** Takes note of what a reader gives. */
function take({ messages, skipped }: Read, lines: Iterable<InputLine>): void {
  for (const line of lines) {
    if (line.type === "line") messages.push(line.text);
    else skipped.push(line.size);
  }
}

/** Gives bytes in pieces that end at the named places. */
function pushed(read: Read, bytes: Buffer, cuts: readonly number[]): void {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  for (const [index, end] of places.entries())
    if (index > 0) take(read, read.reader.push(bytes.subarray(places[index - 1], end)));
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
        const read = reading(1_000_000);
        pushed(read, framed(texts), places);
        take(read, read.reader.end());
        expect(read.messages).toEqual(texts);
        if (texts.length > 0) expect(read.reader.framing).toBe(framing);
      }),
      { seed, numRuns: times(1000) },
    );
  });

  test("bytes that are anything never throw, and are never kept beyond the limit", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), cuts, (bytes, places) => {
        const read = reading(100);
        pushed(read, Buffer.from(bytes), places);
        take(read, read.reader.end());
        // A block of headers that says nothing may be longer, and a broken byte becomes three.
        expect(Math.max(0, ...read.messages.map((text) => text.length))).toBeLessThanOrEqual(9000);
      }),
      { seed, numRuns: times(1000) },
    );
  });
});

test("a line that is too large is skipped, and the next one is read", () => {
  const read = reading(10);
  pushed(read, Buffer.from(`${"x".repeat(25)}\n{"id":1}\n`), [3, 17, 24, 26]);
  expect(read).toMatchObject({ messages: ['{"id":1}'], skipped: [25] });
});

test("so is a message with headers", () => {
  const read = reading(10);
  const text = `Content-Length: 25\r\n\r\n${"x".repeat(25)}content-length:8\r\nX: y\r\n\r\n{"id":1}`;
  pushed(read, Buffer.from(text), [3, 30, 47]);
  expect(read).toMatchObject({ messages: ['{"id":1}'], skipped: [25] });
});

test("blank lines, carriage returns and a missing last end do not matter", () => {
  const read = reading();
  take(read, read.reader.push(Buffer.from('\n \r\n{"id":1}\r\n\r\n{"id":2}')));
  take(read, read.reader.end());
  expect(read.messages.map((text) => text.trim()).filter((text) => text !== "")).toEqual([
    '{"id":1}',
    '{"id":2}',
  ]);
});

test("only the byte 0x0A ends a line: other line separators of Unicode are text", () => {
  const read = reading();
  const text = JSON.stringify({ text: "a\u2028b\u2029c\u0085d" });
  take(read, read.reader.push(Buffer.from(`${text}\n`)));
  expect(read.messages).toEqual([text]);
});
