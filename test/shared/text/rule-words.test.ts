import { expect, test } from "vitest";
import { scopeWords } from "../../../src/shared/text/rule-words.ts";

test.each([
  [["=for f in *; do rm $f; done"], "for f in *; do rm $f; done", "exactly this command"],
  [["make all"], "make  all", "make all"],
  [["make all"], "make all", "exactly this command"],
  [["npm test *"], "npm test -q", "npm test *"],
  [["git add *", "make"], "git add . && make", "git add *; make"],
  [["edit:/w/**"], "edit src/a.ts", "changes of the ordinary files in /w"],
  [["host:example.com"], "fetch", "requests to example.com"],
  [[], "rm x", ""],
])("%j for %s is covered as %s", (rules, command, words) => {
  expect(scopeWords(rules, command)).toBe(words);
});
