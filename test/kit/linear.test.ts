import { expect, test } from "vitest";
import { expectLinear } from "./linear.ts";

const spaces = (size: number): string => `${" ".repeat(size)}x`;

test("linear work passes, quadratic work does not", () => {
  expectLinear({ input: spaces, work: (text) => text.split(" ").join("").length });
  expect(() =>
    expectLinear({ input: spaces, work: (text) => / +$/.test(text), smallest: 32, largest: 16_384 }),
  ).toThrow(/an eighth of it/);
});
