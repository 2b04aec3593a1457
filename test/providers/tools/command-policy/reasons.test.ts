import { describe, expect, test } from "vitest";
import { commandNames } from "../../../../src/providers/tools/command-policy/command-names.ts";
import { reasonsToAsk } from "../../../../src/providers/tools/command-policy/reasons.ts";
import { readSimpleLine } from "../../../../src/providers/tools/command-policy/simple-line.ts";
import { writtenRules } from "../../../../src/providers/tools/command-policy/written-rule.ts";

const PLACE = { cwd: "/w/a", roots: ["/w"] };
const reasons = (line: string, background = false) =>
  reasonsToAsk(readSimpleLine(line), PLACE, { background }).join("; ");

describe("the reasons of a question", () => {
  test.each([
    ["git push origin main", "writes to a remote"],
    ["npm test && git push", "writes to a remote"],
    ["/usr/bin/git push", "writes to a remote"],
    ["git fetch", "reads from a remote"],
    ["rm -r build", "removes files"],
    ["curl example.com", "sends something to another machine"],
    ["npm install left-pad", "installs or runs software from elsewhere"],
    ["sudo ls", "rights of another user"],
    ["cp .env x", "names a file that may hold secrets"],
    ["cp a.txt /etc/x", "names something outside this folder"],
    ["cp a.txt ../../x", "names something outside this folder"],
    ["echo $HOME", "is more than plain words"],
    ["echo a > b", "is more than plain words"],
    ["mkdir x", "is not among the commands that are known to read only"],
  ])("%s: it %s", (line, reason) => {
    expect(reasons(line)).toContain(reason);
  });

  test("leave out what does not hold", () => {
    expect(reasons("cp ../b/x a/y https://example.com/z")).toBe(
      "is not among the commands that are known to read only",
    );
    expect(reasons("make all", true)).toBe("goes on after its call is over");
  });
});

test("a command's names are its parts, or the line that a denied one may stand in", () => {
  const names = (line: string) => commandNames(line, readSimpleLine(line));
  expect(names("/usr/bin/git 'push' x && ls")).toEqual(["git push x", "ls"]);
  expect(names("sudo /usr/bin/git push")).toEqual(["… sudo git push"]);
  expect(names('sh -c "git push"; x=$(git push)')[0]).toContain(" git push ");
});

describe("a written rule", () => {
  test.each([
    ["git commit *", ["git commit *"]],
    ["npm run build *", ["npm run build *"]],
    [" git commit -m x ", ["git commit *"]],
    ["make  'all'", ["make all"]],
    ["make && git add x", ["make", "git add *"]],
    ["edit:/w/**", ["edit:/w/**"]],
    ["mcp:mail:send", ["mcp:mail:send"]],
    ["=cd x && make", ["=cd x && make"]],
  ])("%s is %j", (written, rules) => {
    expect(writtenRules(written)).toEqual(rules);
  });

  test.each([
    ["git push *", /would cover nothing/],
    ["npm run *", /would cover nothing/],
    ["rm x", /every time/],
    ["sudo make", /starts another program/],
    ["echo $X", /begins with =/],
    ["edit:x/**", /absolute path/],
    ["reach:..", /reach: names a host\. It is no host: no machine can have this name/],
    ["reach:exa_mple", /Write example\.com/],
    ["reach:*", /a star stands before/],
    ["read:/x", /for a session only/],
    ["", /one line/],
    ["a\nb", /one line/],
  ])("%j is refused", (written, why) => {
    expect(() => writtenRules(written)).toThrow(why);
  });
});
