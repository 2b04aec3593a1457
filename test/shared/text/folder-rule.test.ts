import { describe, expect, test } from "vitest";
import {
  canStandIn,
  isAtOrBelow,
  readFolderRule,
  writeFolderRule,
} from "../../../src/shared/text/folder-rule.ts";
import { ruleWords } from "../../../src/shared/text/rule-words.ts";

describe("a rule for a folder", () => {
  test.each([
    { folder: "/work/my app", rule: "git commit *" },
    { folder: "/", rule: "=cd x && make" },
    { folder: "/work", rule: "outside:git push *" },
    { folder: "/work", rule: "mcp:files:read" },
  ])("is read as it was written: %j", (placed) => {
    expect(canStandIn(placed)).toBe(true);
    expect(readFolderRule(writeFolderRule(placed))).toEqual(placed);
  });

  test.each([
    // A colon could begin the rule.
    { folder: "/work:outside", rule: "git push *" },
    { folder: "work", rule: "make" },
    { folder: "/work\n", rule: "make" },
    { folder: "/work", rule: "" },
    { folder: "/work", rule: "edit:/work/**" },
    { folder: "/work", rule: "in:/other:make" },
    { folder: "/work", rule: "reach:example.com" },
  ])("is none: %j", (placed) => {
    expect(canStandIn(placed)).toBe(false);
  });

  test("holds in its folder and below, and beside it never", () => {
    expect(isAtOrBelow("/work/app", "/work/app")).toBe(true);
    expect(isAtOrBelow("/work/app/src", "/work/app")).toBe(true);
    expect(isAtOrBelow("/work/app", "/")).toBe(true);
    expect(isAtOrBelow("/work/apple", "/work/app")).toBe(false);
    expect(isAtOrBelow("/work", "/work/app")).toBe(false);
  });

  test("says where it holds", () => {
    expect(ruleWords("in:/work/app:make")).toBe(
      `${ruleWords("make")}; in sessions of /work/app and below it`,
    );
  });
});
