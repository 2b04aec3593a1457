import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { HeaderStream } from "../../src/rpc/transport/header-stream.ts";
import { MessageLimit } from "../../src/rpc/transport/message-limit.ts";
import { seed, times } from "../kit/counts.ts";

interface Read {
  readonly messages: string[];
  readonly skipped: number[];
  readonly invalid: string[];
}

const withHeaders = (text: string): string => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

/** Gives bytes in pieces that end at the named places, and reads what comes out. */
async function read(bytes: Buffer, cuts: readonly number[], largest = 1000): Promise<Read> {
  const messages: string[] = [];
  const skipped: number[] = [];
  const invalid: string[] = [];
  const input = new MessageLimit({
    largest,
    tooLarge: (size) => skipped.push(size),
    invalid: (text) => invalid.push(text),
  });
  const broken = Promise.withResolvers<void>();
  const stream = new HeaderStream({
    input,
    output: new PassThrough(),
    receive: (text) => messages.push(text),
    broken: () => broken.reject(new Error("it broke")),
  });
  const ended = Promise.withResolvers<void>();
  input.once("end", ended.resolve);
  const places = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])];
  let from = 0;
  for (const end of places.toSorted((a, b) => a - b)) {
    input.write(bytes.subarray(from, end));
    from = end;
  }
  input.end();
  await Promise.race([ended.promise, broken.promise]);
  stream.close();
  return { messages, skipped, invalid };
}

const texts = fc.array(
  fc.record({ id: fc.nat(), text: fc.string({ unit: "binary" }) }).map((value) => JSON.stringify(value)),
  { maxLength: 8 },
);
const cuts = fc.array(fc.nat({ max: 100_000 }), { maxLength: 20 });

test("messages come out as they went in, however they are cut, all of them before the end", async () => {
  await fc.assert(
    fc.asyncProperty(texts, cuts, async (sent, places) => {
      const bytes = Buffer.from(sent.map((text) => withHeaders(text)).join(""));
      expect(await read(bytes, places, 1_000_000)).toEqual({ messages: sent, skipped: [], invalid: [] });
    }),
    { seed, numRuns: times(300) },
  );
});

test("bytes that are anything break nothing, and are never kept beyond the limit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 20_000 }), cuts, async (bytes, places) => {
      const { messages, invalid } = await read(Buffer.from(bytes), places, 100);
      expect(Math.max(0, ...messages.map((text) => text.length))).toBeLessThanOrEqual(100);
      expect(Math.max(0, ...invalid.map((text) => text.length))).toBeLessThanOrEqual(8192);
    }),
    { seed, numRuns: times(300) },
  );
});

test("a message that is too large is skipped, and the next one is read", async () => {
  const text = `Content-Length: 25\r\n\r\n${"x".repeat(25)}content-length:8\r\nX: y\r\n\r\n{"id":1}`;
  expect(await read(Buffer.from(text), [3, 30, 47], 10)).toEqual({
    messages: ['{"id":1}'],
    skipped: [25],
    invalid: [],
  });
});

test("of two lengths the first one counts, and lines may end without a carriage return", async () => {
  const text = 'Content-Length: 8\nContent-Length: 2\nnothing\n\n{"id":1}Content-Length: 8\n\n{"id":2}';
  expect(await read(Buffer.from(text), [])).toMatchObject({ messages: ['{"id":1}', '{"id":2}'] });
});

test("headers without a length are told, and what follows them is read", async () => {
  const text = `Content-Type: text\r\n\r\n${withHeaders('{"id":1}')}`;
  expect(await read(Buffer.from(text), [5])).toEqual({
    messages: ['{"id":1}'],
    skipped: [],
    invalid: ["Content-Type: text"],
  });
});
