import { describe, expect, test } from "vitest";
import { FlowGuard } from "../../../src/providers/mcp/bounded-transport.ts";
import { formField, WrongAnswer } from "../../../src/providers/mcp/form-field.ts";
import { visibleLine, visibleText } from "../../../src/providers/mcp/visible-text.ts";
import { handClock } from "../../kit/clock.ts";

test("who sends too much at once is found out, who sends a little for ever is not", () => {
  const clock = handClock();
  const fast = new FlowGuard(clock);
  const slow = new FlowGuard(clock);
  const megabyte = 1024 * 1024;
  expect(Array.from({ length: 33 }, () => fast.take(megabyte)).indexOf(false)).toBe(32);
  const steady = Array.from({ length: 1000 }, () => {
    clock.advance(1000);
    return slow.take(megabyte);
  });
  expect(steady).not.toContain(false);
});

test("text of servers loses what nobody sees, and what it would do to a terminal", () => {
  const given = "\u001B[31mred\u001B[0m \u202Eback\u202C \u{E0061}\u200Bok\r\n\ttab";
  expect(visibleText(given, 100)).toBe("[31mred[0m back ok\n\ttab");
  expect(visibleLine(given, 100)).toBe("[31mred[0m back ok tab");
  expect(visibleText("x".repeat(50), 10)).toBe(`${"x".repeat(9)}…`);
});

describe("a field of a form", () => {
  test.each([
    {
      schema: { type: "string", enum: ["a", "b"], enumNames: ["Alpha", "Beta"] },
      choices: ["Alpha", "Beta"],
      text: "beta",
      value: "b",
    },
    {
      schema: { type: "string", oneOf: [{ const: "x", title: "The X" }] },
      choices: ["The X"],
      text: "x",
      value: "x",
    },
    { schema: { type: "boolean" }, choices: ["yes", "no"], text: "No", value: false },
    {
      schema: { type: "array", items: { type: "string", enum: ["a", "b", "c"] } },
      choices: [],
      text: "c, A",
      value: ["c", "a"],
    },
    { schema: { type: "number", minimum: 0.5 }, choices: [], text: " 1.5 ", value: 1.5 },
    { schema: { type: "integer" }, choices: [], text: "-3", value: -3 },
    { schema: { type: "string", maxLength: 3 }, choices: [], text: "abc", value: "abc" },
    { schema: "no schema", choices: [], text: "anything", value: "anything" },
  ])("of $schema offers $choices and reads $text", ({ schema, choices, text, value }) => {
    const field = formField("f", schema, true);
    expect([field.choices, field.read(text)]).toEqual([choices, value]);
  });

  test.each([
    [{ type: "string", enum: ["a"] }, "b"],
    [{ type: "boolean" }, "perhaps"],
    [{ type: "integer" }, "1.5"],
    [{ type: "number", maximum: 1 }, "2"],
    [{ type: "number" }, ""],
    [{ type: "string", minLength: 2 }, "a"],
    [{ type: "string" }, "x".repeat(10_001)],
  ])("of %j refuses %j", (schema, text) => {
    expect(() => formField("f", schema, true).read(text)).toThrow(WrongAnswer);
  });
});
