import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  LARGEST_DOCUMENT,
  ResponseTooLarge,
} from "../../../../src/providers/models/errors/response-too-large.ts";
import {
  EventStreamDecoder,
  type ServerEvent,
} from "../../../../src/providers/models/stream/body-decoder.ts";
import { times } from "../../../kit/counts.ts";

function decode(...pieces: readonly string[]): readonly ServerEvent[] {
  const decoder = new EventStreamDecoder();
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()];
}

const data = (...texts: readonly string[]): readonly ServerEvent[] =>
  texts.map((text) => ({ name: "message", data: text }));

describe("events", () => {
  test.each<[string, string, readonly ServerEvent[]]>([
    ["with lines that end in LF", "data: a\n\ndata: b\n\n", data("a", "b")],
    ["with lines that end in CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", data("a", "b")],
    ["with lines that end in CR", "data: a\r\rdata: b\r\r", data("a", "b")],
    ["with all three mixed", "data: a\r\n\rdata: b\n\r\ndata: c\r\r\n", data("a", "b", "c")],
    ["with several lines of data", "data: a\ndata:b\ndata:  c\n\n", data("a\nb\n c")],
    ["with an empty line of data", "data:\n\ndata\n\n", data("", "")],
    ["with a name", "event: error\ndata: a\n\ndata: b\n\n", [{ name: "error", data: "a" }, ...data("b")]],
    ["without data are none", "event: ping\n\nid: 4\nretry: 10\n\n: comment\n\n", []],
    ["without the empty line at the end", "data: a\n\ndata: b", data("a", "b")],
    ["amid fields that nobody knows", "id: 1\nfoo: bar\ndata: a\nbaz\n\n", data("a")],
    ["with colons in their data", 'data: {"a": 1}\n\ndata::\n\n', data('{"a": 1}', ":")],
  ])("%s", (_title, text, events) => {
    expect(decode(text)).toEqual(events);
  });

  test("are told as soon as they are complete", () => {
    const decoder = new EventStreamDecoder();
    expect(decoder.push("data: a\n")).toEqual([]);
    expect(decoder.push("\ndata: b")).toEqual(data("a"));
    expect(decoder.push("\r")).toEqual([]);
    expect(decoder.push("\n\r")).toEqual(data("b"));
    expect(decoder.push("\n")).toEqual([]);
    expect(decoder.end()).toEqual([]);
  });
});

test("any text gives the same events however it is cut", () => {
  const line = fc.oneof(
    fc.constantFrom("", "", "data", "data:", "data: ", "event: x", ": c", "id: 1", "foo"),
    fc.string().map((text) => `data: ${text}`),
  );
  const text = fc
    .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 20 })
    .map((lines) => lines.flat().join(""));
  fc.assert(
    fc.property(text, fc.array(fc.nat(200), { maxLength: 30 }), (whole, cuts) => {
      const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((place, i) => whole.slice(places[i], place));
      expect(decode(...pieces)).toEqual(decode(whole));
      expect(decode(...whole.split(""))).toEqual(decode(whole));
    }),
    { numRuns: times(10_000) },
  );
});

test.each([
  ["one endless line", () => "x".repeat(2 ** 20)],
  ["endless data of an event that does not end", () => `data: ${"x".repeat(2 ** 20)}\n`],
])("%s is too large after 16 MB", (_title, piece) => {
  const decoder = new EventStreamDecoder();
  const pieces = LARGEST_DOCUMENT / 2 ** 20;
  for (let n = 1; n < pieces; n += 1) decoder.push(piece());
  expect(() => {
    decoder.push(piece());
    decoder.push(piece());
  }).toThrow(ResponseTooLarge);
});

test("many events of any size together are not too large", () => {
  const decoder = new EventStreamDecoder();
  const piece = `data: ${"x".repeat(2 ** 20)}\n\n`;
  for (let n = 0; n < 40; n += 1) expect(decoder.push(piece)).toHaveLength(1);
});
