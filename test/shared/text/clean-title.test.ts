import { expect, test } from "vitest";
import { cleanTitle } from "../../../src/shared/text/clean-title.ts";

test.each(["می‌خواهم", "👨‍👩‍👧‍👦 at work", "🏳️‍🌈", "क्‍ष", "plain, 漢字 and é"])("%j stays as it is", (title) => {
  expect(cleanTitle(title)).toBe(title);
});

test.each([
  ["a change of direction", "user\u202Etxt.exe", "usertxt.exe"],
  ["a mark of direction", "a\u200Fb\u061Cc", "abc"],
  ["an isolate", "\u2066a\u2069", "a"],
  ["a joiner between Latin letters", "ad\u200Dmin\u200C", "admin"],
  ["a joiner beside another", "👩\u200D\u200D👩", "👩👩"],
  ["a soft hyphen and a space without width", "co\u00ADoperate\u200B", "cooperate"],
  ["tags", "x\u{E0041}\u{E0042}", "x"],
  ["a mark around numbers", "\u06001", "1"],
  ["lines and controls", " My\u0007 \u2028title\n", "My title"],
  ["half of a pair", "a\uD800", "a\uFFFD"],
])("%s is left out", (_what, title, clean) => {
  expect(cleanTitle(title)).toBe(clean);
});
