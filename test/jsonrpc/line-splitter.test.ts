import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EnvelopeScanner } from "../../src/jsonrpc/envelope-scanner.ts";
import { type InputLine, LineSplitter } from "../../src/jsonrpc/line-splitter.ts";
import { times } from "../kit/counts.ts";

const runs = { numRuns: times(1000) };

/** Bytes in pieces, cut at any places. */
const cutAt = (bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1))), bytes.length];
  let from = 0;
  return ends
    .toSorted((a, b) => a - b)
    .map((to) => {
      const piece = bytes.subarray(from, to);
      from = to;
      return piece;
    });
};

const places = fc.array(fc.nat(10_000), { maxLength: 12 });

function split(pieces: readonly Uint8Array[], limit: number): readonly InputLine[] {
  const splitter = new LineSplitter(limit, { scan: true });
  return [...pieces.flatMap((piece) => [...splitter.push(piece)]), ...splitter.end()];
}

describe("a line", () => {
  test("is the same wherever the bytes are cut, and is a line of the whole", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "é", "€", "語", "😀", "\uFEFF", "\n", "\r", " ", "{", '"', "\u2028"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, places, (all, cuts) => {
        const bytes = new TextEncoder().encode(all);
        const lines = split(cutAt(bytes, cuts), 1000);
        expect(lines).toEqual(split([bytes], 1000));
        const whole = all.endsWith("\n") || all === "" ? all.split("\n").slice(0, -1) : all.split("\n");
        const read = lines.map((line) => (line.type === "line" ? line.text : "?"));
        // A decoder takes a mark at the beginning of a text for a mark of its encoding.
        expect(read).toEqual(whole.map((each) => each.replace(/^\uFEFF/, "")));
      }),
      runs,
    );
  });

  test("is known to be over the limit before it ends", () => {
    const splitter = new LineSplitter(3);
    const overlong = ["ab", "c", "d", "\nabc"].map((text) => {
      const lines = [...splitter.push(Buffer.from(text))];
      return [lines.map(({ type }) => type), splitter.overlong];
    });
    expect(overlong).toEqual([
      [[], false],
      [[], false],
      [[], true],
      [["too-long"], false],
    ]);
  });

  test("over the limit is told with its size and its envelope, and the next one is read", () => {
    const id = fc.oneof(fc.nat(), fc.string({ maxLength: 20 }));
    const params = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(
        fc.record({ id, params, isFirst: fc.boolean() }),
        places,
        ({ id, params, isFirst }, cuts) => {
          const body = { method: "session/prompt", params: { ...params, filler: "x".repeat(80) } };
          const json = JSON.stringify(isFirst ? { id, ...body } : { ...body, id });
          const bytes = new TextEncoder().encode(`${json}\nnext\n`);
          const [long, next] = split(cutAt(bytes, cuts), 64);
          const size = bytes.length - "\nnext\n".length;
          expect(long).toEqual({ type: "too-long", size, envelope: { id, hasMethod: true } });
          expect(next).toMatchObject({ type: "line" });
        },
      ),
      runs,
    );
  });
});

describe("the envelope of a message", () => {
  const scan = (pieces: readonly Uint8Array[]) => {
    const scanner = new EnvelopeScanner();
    for (const piece of pieces) scanner.feed(piece);
    return scanner.envelope;
  };

  test("is found in any JSON object, wherever the bytes are cut", () => {
    fc.assert(
      fc.property(fc.tuple(fc.jsonValue(), fc.jsonValue()), fc.nat(), places, ([before, after], id, cuts) => {
        // What looks like an envelope further inside, or in a string, is none.
        const message = { before: { id: 7, method: "x", before }, note: '"id":8,"method":"y"', id, after };
        const bytes = new TextEncoder().encode(JSON.stringify(message));
        expect(scan(cutAt(bytes, cuts))).toEqual({ id, hasMethod: false });
      }),
      runs,
    );
  });

  test.each([
    ["no JSON at all", "nonsense }}]] {", {}],
    ["an id that is an object", '{"id":{"a":1},"method":"m"}', { hasMethod: true }],
    ["an id too long to be kept", `{"id":"${"i".repeat(300)}","method":"m"}`, { hasMethod: true }],
    ["spaces and escapes", '{ "method" : "m" , "id" : "a\\"b" }', { id: 'a"b', hasMethod: true }],
  ])("of %s is what can be known", (_name, text, envelope) => {
    expect(scan([new TextEncoder().encode(text)])).toEqual({ hasMethod: false, ...envelope });
  });
});
