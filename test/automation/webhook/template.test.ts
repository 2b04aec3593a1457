import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundedJson } from "../../../src/automation/webhook/bounded-json.ts";
import { defaultPrompt, renderExtra, renderTemplate } from "../../../src/automation/webhook/template.ts";
import { times } from "../../kit/counts.ts";

const payload = {
  action: "opened",
  number: 7,
  draft: false,
  body: null,
  pull_request: { title: "Mend {action}", labels: ["a", "b"], user: { login: "ann" } },
};
const fill = (template: string): string => renderTemplate(template, { payload, event: "pull_request" });

describe("a template", () => {
  test.each([
    ["{action} #{number}", "opened #7"],
    ["{pull_request.user.login}", "ann"],
    ["{draft} {body}", "false null"],
    ["{missing} {pull_request.missing.deep}", "{missing} {pull_request.missing.deep}"],
    ["{pull_request.labels.0}", "{pull_request.labels.0}"],
    ["{pull_request.labels}", '[\n  "a",\n  "b"\n]'],
    ["{event_type}", "pull_request"],
    ["{pull_request.title}", "Mend {action}"],
    [
      '{"json": {"stays": true}} { action } {a-b} {a[0]}',
      '{"json": {"stays": true}} { action } {a-b} {a[0]}',
    ],
    ["{constructor.name} {__proto__} {toString}", "{constructor.name} {__proto__} {toString}"],
    ["{action.length}", "{action.length}"],
    ["{{action}}", "{opened}"],
  ])("%s becomes %s", (template, text) => {
    expect(fill(template)).toBe(text);
  });

  test("cuts the whole payload at 4,000 characters and what is nested at 2,000", () => {
    const large = { list: Array.from({ length: 5000 }, (_, index) => index), text: "x".repeat(9000) };
    const values = { payload: large, event: "e" };
    expect(renderTemplate("{__raw__}", values)).toHaveLength(4000);
    expect(renderTemplate("{list}", values)).toHaveLength(2000);
    expect(renderTemplate("{text}", values)).toHaveLength(9000);
  });

  test("that repeats a large text does not grow without end", () => {
    const text = renderTemplate("{a}".repeat(10_000), { payload: { a: "x".repeat(1_000_000) }, event: "e" });
    expect(text.length).toBeLessThan(4_000_000);
  });

  test("fills what a target needs, and leaves out what is neither text nor number", () => {
    const extra = { repo: "o/{action}", pr_number: 7, on: true, list: [1], nothing: null, empty: "" };
    expect(renderExtra(extra, { payload, event: "e" })).toEqual({
      repo: "o/opened",
      pr_number: "7",
      on: "true",
      empty: "",
    });
  });
});

test("without a template the prompt names event and route and shows the payload", () => {
  expect(defaultPrompt({ payload: { a: 1 }, event: "push" }, "builds")).toBe(
    'Event "push" arrived on the webhook route "builds":\n\n```json\n{\n  "a": 1\n}\n```',
  );
});

describe("the printer", () => {
  test("prints as JSON.stringify does, cut at the limit", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 0, max: 400 }), (value, limit) => {
        const whole = JSON.stringify(value, undefined, 2);
        expect(boundedJson(value, limit)).toBe(whole.slice(0, limit).toWellFormed());
      }),
      { numRuns: times(3000) },
    );
  });

  test("is as quick with a hostile value as with a small one", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 60; depth += 1) deep = [deep, deep];
    expect(boundedJson(deep, 4000)).toHaveLength(4000);
    expect(boundedJson({ text: "\u0000".repeat(1_000_000) }, 4000)).toHaveLength(4000);
  });
});
