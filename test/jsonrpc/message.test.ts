import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { INVALID_REQUEST, PARSE_ERROR, readMessage } from "../../src/jsonrpc/index.ts";
import { times } from "../kit/counts.ts";

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("a message", () => {
  test.each([
    ['{"id":"a","method":"m","params":{"x":1}}', { type: "request", id: "a", method: "m", params: { x: 1 } }],
    ['{"id":null,"method":"m"}\r', { type: "request", id: null, method: "m", params: undefined }],
    ['{"id":1.5,"method":"m","params":[1]}', { type: "request", id: 1.5, params: [1] }],
    ['\uFEFF{"method":"m"}', { type: "notification", method: "m" }],
    ['{"id":7,"result":null}', { type: "response", id: 7, body: { id: 7, result: null } }],
    [" \r", { type: "blank" }],
  ])("%j is told apart", (text, message) => {
    expect(readMessage(text)).toMatchObject(message);
  });

  test.each([
    ["{", "json", null, PARSE_ERROR],
    ["[]", "batch", null, INVALID_REQUEST],
    ["5", "shape", null, INVALID_REQUEST],
    ["{}", "shape", null, INVALID_REQUEST],
    ['{"id":{},"method":"m"}', "id", null, INVALID_REQUEST],
    ['{"id":9007199254740993,"method":"m"}', "id", null, INVALID_REQUEST],
    ['{"id":5,"method":5}', "method", 5, INVALID_REQUEST],
    [`{"id":5,"method":"m","params":${nested(100)}}`, "nesting", 5, INVALID_REQUEST],
    // The id of a response is not its sender's: a refusal must not look like an answer to a request of theirs.
    [`{"id":5,"result":${nested(100)}}`, "nesting", null, INVALID_REQUEST],
  ])("%j is answered as one that is none", (text, ...[problem, id, code]) => {
    expect(readMessage(text)).toMatchObject({ type: "invalid", problem, id, error: { code } });
  });

  test("has to name its version where a protocol wants that", () => {
    expect(readMessage('{"id":5,"method":"m"}', { version: true })).toMatchObject({
      type: "invalid",
      problem: "version",
      id: 5,
    });
    expect(readMessage('{"jsonrpc":"2.0","id":5,"method":"m"}', { version: true })).toMatchObject({
      type: "request",
    });
  });

  test("loses `__proto__`, unless it is taken as it is", () => {
    const text = '{"id":1,"result":{"__proto__":{"a":1},"b":2}}';
    const own = (clean: boolean): readonly string[] => {
      const message = readMessage(text, { clean });
      return message.type === "response" ? Object.keys(message.body["result"] ?? {}) : [];
    };
    expect([own(true), own(false)]).toEqual([["b"], ["__proto__", "b"]]);
    expect(readMessage(`{"id":5,"result":${nested(100)}}`, { clean: false }).type).toBe("response");
  });

  test("is something, whatever the text is, and keeps its id", () => {
    const id = fc.oneof(fc.string(), fc.maxSafeInteger(), fc.constant(null));
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ id: fc.jsonValue(), method: fc.jsonValue() }).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(text, id, (any, given) => {
        expect(() => readMessage(any)).not.toThrow();
        expect(readMessage(JSON.stringify({ id: given, method: "m" }))).toMatchObject({ id: given });
      }),
      { numRuns: times(1000) },
    );
  });
});
