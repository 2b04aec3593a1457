import { expect, test } from "vitest";
import { nearNames, nearestName } from "../../../src/shared/text/nearest-name.ts";

const NAMES = ["provider", "base_url", "api_mode", "approvals", "timeout", "at"];

test.each([
  ["aprovals", "approvals"],
  ["provdier", "provider"],
  ["baseUrl", "base_url"],
  ["timeouts", "timeout"],
  ["time-out", "timeout"],
])("%s is probably %s", (typed, meant) => {
  expect(nearestName(typed, NAMES)).toBe(meant);
});

test.each(["weather", "x", "my_own_block", ""])("%j is a name of somebody else", (typed) => {
  expect(nearestName(typed, NAMES)).toBeUndefined();
});

test.each([
  ["provdier", ["provider"]],
  ["ap", ["api_mode", "approvals"]],
  ["APPLE", ["approvals"]],
  ["tims", ["timeout"]],
  ["a", []],
  ["weather", []],
])("%s may mean %j", (typed, meant) => {
  expect(nearNames(typed, NAMES)).toEqual(meant);
});
