import { describe, expect, test } from "vitest";
import {
  LARGEST_DOCUMENT,
  ResponseTooLarge,
} from "../../../../../src/providers/models/errors/response-too-large.ts";
import { CallAssembler } from "../../../../../src/providers/models/dialects/openai-chat/calls.ts";
import type { ModelPart } from "../../../../../src/core/ports/model.ts";

/** What an assembler makes of pieces of calls: `[index, id, name, arguments]`, `undefined` where nothing is said. */
type Piece = readonly [index: unknown, id?: unknown, name?: unknown, text?: unknown];

function assemble(...pieces: readonly Piece[]): {
  readonly parts: readonly ModelPart[];
  readonly calls: readonly string[];
} {
  const ids = { next: 0 };
  const assembler = new CallAssembler(() => `own_${(ids.next += 1)}`);
  for (const [index, id, name, text] of pieces)
    assembler.accept({ index, id, function: { name, arguments: text } });
  const parts = [...assembler.take(), ...assembler.end()];
  const calls = parts.flatMap((part) =>
    part.type === "call.end" ? [`${part.id} ${part.name}(${part.arguments})`] : [],
  );
  return { parts, calls };
}

describe("pieces are put together", () => {
  test.each<[string, readonly Piece[], readonly string[]]>([
    [
      "by index",
      [
        [0, "a", "ls", '{"x"'],
        [1, "b", "rm", "{"],
        [0, undefined, undefined, ":1}"],
        [1, undefined, undefined, "}"],
      ],
      ['a ls({"x":1})', "b rm({})"],
    ],
    [
      "in any order of indexes",
      [
        [2, "a", "ls", "{}"],
        [0, "b", "rm", "{}"],
      ],
      ["a ls({})", "b rm({})"],
    ],
    [
      "by the id that each piece repeats",
      [
        [0, "a", "ls", '{"x"'],
        [0, "a", undefined, ":1}"],
      ],
      ['a ls({"x":1})'],
    ],
    [
      "by the id alone",
      [
        [undefined, "a", "ls", "{"],
        [undefined, "b", "rm", "{"],
        [undefined, "a", undefined, "}"],
        [undefined, "b", undefined, "}"],
      ],
      ["a ls({})", "b rm({})"],
    ],
    [
      "with neither index nor id",
      [
        [undefined, undefined, "ls", '{"x"'],
        [undefined, undefined, undefined, ":1}"],
      ],
      ['own_1 ls({"x":1})'],
    ],
    [
      "although each piece repeats the name",
      [
        [0, "a", "ls", '{"x"'],
        [0, "", "ls", ":1}"],
      ],
      ['a ls({"x":1})'],
    ],
    [
      "with a null index",
      [
        [null, "a", "ls", "{"],
        [null, null, null, "}"],
      ],
      ["a ls({})"],
    ],
    [
      "with the name after the arguments",
      [
        [0, "a", undefined, "{"],
        [0, undefined, "ls", "}"],
      ],
      ["a ls({})"],
    ],
  ])("%s", (_title, pieces, calls) => {
    expect(assemble(...pieces).calls).toEqual(calls);
  });
});

describe("calls are told apart", () => {
  test.each<[string, readonly Piece[], readonly string[]]>([
    [
      "by their ids when all have one index",
      [
        [0, "a", "ls", "{}"],
        [0, "b", "rm", "{}"],
      ],
      ["a ls({})", "b rm({})"],
    ],
    [
      "by being whole when nothing else does",
      [
        [0, "", "ls", '{"x":1}'],
        [0, "", "rm", '{"y":2}'],
      ],
      ['own_1 ls({"x":1})', 'own_2 rm({"y":2})'],
    ],
    [
      "without an index too",
      [
        [undefined, undefined, "ls", "{}"],
        [undefined, undefined, "rm", "{}"],
      ],
      ["own_1 ls({})", "own_2 rm({})"],
    ],
    [
      "by their indexes when they share an id",
      [
        [0, "a", "ls", "{}"],
        [1, "a", "rm", "{}"],
      ],
      ["a ls({})", "own_1 rm({})"],
    ],
  ])("%s", (_title, pieces, calls) => {
    expect(assemble(...pieces).calls).toEqual(calls);
  });
});

test("ids that are missing, empty or no text are made", () => {
  expect(assemble([0, undefined, "a", "{}"], [1, "  ", "b", "{}"], [2, 7, "c", "{}"]).calls).toEqual([
    "own_1 a({})",
    "own_2 b({})",
    "own_3 c({})",
  ]);
});

test("arguments that are an object, or nothing at all, become JSON text", () => {
  expect(assemble([0, "a", "ls", { x: [1] }], [1, "b", "rm", ""], [2, "c", "ps"]).calls).toEqual([
    'a ls({"x":[1]})',
    "b rm({})",
    "c ps({})",
  ]);
});

test("arguments stay as the model wrote them, JSON or not", () => {
  expect(assemble([0, "a", "ls", '{"x": 1,}'], [1, "b", "rm", '{"__proto__":{}}']).calls).toEqual([
    'a ls({"x": 1,})',
    'b rm({"__proto__":{}})',
  ]);
});

test("a call without a name is one to an unknown tool, and still starts before it ends", () => {
  expect(assemble([0, "a", undefined, "{}"]).parts).toEqual([
    { type: "call.start", id: "a", name: "unknown_tool" },
    { type: "call.end", id: "a", name: "unknown_tool", arguments: "{}" },
  ]);
});

test("arguments that came before the name are not lost from the deltas", () => {
  const { parts } = assemble([0, "a", undefined, "{"], [0, undefined, "ls", "}"]);
  expect(parts.slice(0, 2)).toEqual([
    { type: "call.start", id: "a", name: "ls" },
    { type: "call.delta", id: "a", text: "{}" },
  ]);
});

test("what is no piece of a call is passed over", () => {
  const assembler = new CallAssembler(() => "own");
  for (const odd of [null, 3, "x", []]) assembler.accept(odd);
  expect(assembler.count).toBe(0);
});

test("ten megabytes of arguments pass, endless ones do not", () => {
  const piece = "x".repeat(2 ** 20);
  const pieces = (count: number): readonly Piece[] =>
    Array.from({ length: count }, () => [0, "a", "ls", piece]);
  expect(assemble(...pieces(10)).calls[0]).toHaveLength(10 * 2 ** 20 + "a ls()".length);
  expect(() => assemble(...pieces(LARGEST_DOCUMENT / 2 ** 20 + 1))).toThrow(ResponseTooLarge);
});
