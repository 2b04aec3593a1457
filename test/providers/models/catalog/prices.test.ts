import { expect, test } from "vitest";
import { costOf, listPrice } from "../../../../src/providers/models/catalog/prices.ts";

test.each([
  ["gpt-4o", 2.5],
  ["gpt-4o-2024-08-06", 2.5],
  ["openai/gpt-4o-mini", 0.15],
  ["gpt-4o-mini-2024-07-18", 0.15],
  ["claude-sonnet-4-5-20250929", 3],
  ["o1", 15],
])("%s has a list price of %d for its input", (model, input) => {
  expect(listPrice(model)?.input).toBe(input);
});

test.each(["gpt-4o-audio-preview", "gpt-4", "o1-mini", "my-own-model", "constructor", ""])(
  "%s has no list price: likeness is not enough",
  (model) => {
    expect(listPrice(model)).toBeUndefined();
  },
);

test("cached tokens are taken out of the input and have their own price, or the input's", () => {
  const usage = {
    calls: 1,
    input: 1_000_000,
    output: 100_000,
    reasoning: 50_000,
    cacheRead: 400_000,
    cacheWrite: 100_000,
  };
  expect(costOf({ input: 2, output: 10, cacheRead: 0.5, cacheWrite: 2.5 }, usage)).toBeCloseTo(
    1 + 0.2 + 0.25 + 1,
    10,
  );
  expect(costOf({ input: 2, output: 10 }, usage)).toBeCloseTo(3, 10);
});
