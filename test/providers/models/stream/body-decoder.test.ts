import { expect, test } from "vitest";
import { BodyDecoder, type BodyPiece } from "../../../../src/providers/models/stream/body-decoder.ts";
import {
  LARGEST_DOCUMENT,
  ResponseTooLarge,
} from "../../../../src/providers/models/errors/response-too-large.ts";

function decode(...reads: readonly (string | Uint8Array)[]): readonly BodyPiece[] {
  const decoder = new BodyDecoder();
  return [...reads.flatMap((read) => decoder.push(Buffer.from(read))), ...decoder.end()];
}

const event = (data: string): BodyPiece => ({ type: "event", event: { name: "message", data } });

test("a body that begins with a brace, a bracket or a tag is a document, whole at its end", () => {
  for (const text of ['{"a": 1}', "[1]", "<html></html>"]) {
    expect(decode("\n  ", text.slice(0, 2), text.slice(2))).toEqual([{ type: "document", text }]);
  }
});

test("everything else is a stream, also after white space and a mark of the byte order", () => {
  expect(decode("\ufeff", "\n\ndata: a\n\n: {\n\n")).toEqual([event("a")]);
});

test("a character that is cut in two is put together", () => {
  const bytes = Buffer.from("data: 🐈\n\n");
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(decode(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual([event("🐈")]);
  }
});

test("an empty body has no pieces", () => {
  expect(decode()).toEqual([]);
  expect(decode("", " \n ")).toEqual([]);
});

test("a document of more than 16 MB is too large", () => {
  const decoder = new BodyDecoder();
  const piece = Buffer.alloc(LARGEST_DOCUMENT / 16, "{");
  for (let n = 0; n < 16; n += 1) decoder.push(piece);
  expect(() => decoder.push(piece)).toThrow(ResponseTooLarge);
});
