import { describe, expect, test } from "vitest";
import { covers } from "../../../../src/providers/tools/command-policy/allow-rules.ts";

describe("patterns cover", () => {
  test.each([
    [["git commit *"], "git commit"],
    [["git commit *"], "git commit -m 'x y'"],
    [["git commit *"], "\"git\" 'commit' -m x"],
    [["git commit *", "git add *"], "git add . && git commit -m x"],
    [["npm test"], "npm test"],
    [["npm test"], "'npm'   test"],
    [["npm test *"], "npm test --silent 2>/dev/null"],
    [["=rm *"], "rm *"],
    [["=echo $(ls)"], "echo $(ls)"],
    [["=echo $(ls)"], "  echo $(ls) "],
    [["ls *"], "ls -la"],
  ])("%j the line %s", (patterns, command) => {
    expect(covers(patterns, command)).toBe(true);
  });
});

describe("patterns do not cover", () => {
  test.each([
    [[], "ls"],
    [["git commit *"], "git commit -m x; rm x"],
    [["git commit *"], "git commit -m x | sh"],
    [["git commit *"], "git commit -m $(rm x)"],
    [["git commit *"], "git commit -m x > /etc/passwd"],
    [["git commit *"], "X=1 git commit"],
    [["git commit *"], "git -c x=y commit"],
    [["git commit *"], "git commit-tree x"],
    [["git commit *"], "git push"],
    [["git commit *"], "$GIT commit"],
    [["git fetch *"], "git fetch --upload-pack=evil x"],
    [["git fetch *"], "git fetch --up=evil x"],
    [["git fetch *"], "git fetch $X"],
    [["git fetch *"], "git fetch *"],
    [["npm test"], "npm test x"],
    [["npm run build *"], "npm run build --script-shell=x"],
    [["make *"], "make SHELL=x"],
    [["=rm *"], "rm '*'"],
    [["=rm *"], "rm x"],
    [["rm *"], "sudo rm x"],
    [["=echo $(ls)"], "echo $(ls) x"],
    [["echo *"], "echo $(ls)"],
    [["*"], "ls"],
    [[" *"], "ls"],
    [["ls *"], ""],
  ])("%j the line %s", (patterns, command) => {
    expect(covers(patterns, command)).toBe(false);
  });
});
