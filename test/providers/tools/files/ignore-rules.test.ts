import { execFileSync, spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isIgnored,
  parseFilter,
  parseIgnoreFile,
} from "../../../../src/providers/tools/files/ignore-rules.ts";
import { times } from "../../../kit/counts.ts";
import { threadTime } from "../../../kit/linear.ts";
import { scratch } from "../scratch.ts";

/** Whether any directory on the way, or the entry itself, is ignored. */
function ignores(rules: string, path: string): boolean {
  const ignore = { rules: parseIgnoreFile(rules), depth: 0 };
  const names = path.split("/").filter((name) => name !== "");
  return names.some((_name, at) =>
    isIgnored(ignore, names.slice(0, at + 1), at < names.length - 1 || path.endsWith("/")),
  );
}

describe("a path is ignored", () => {
  test.each([
    ["*.log", "a.log"],
    ["*.log", "x/y/a.log"],
    ["/a.log", "a.log"],
    ["build/", "build/x"],
    ["build/", "x/build/y"],
    ["doc/*.txt", "doc/a.txt"],
    ["**/foo", "x/y/foo"],
    ["foo/**", "foo/a/b"],
    ["a/**/b", "a/b"],
    ["a/**/b", "a/x/y/b"],
    ["[a-c].txt", "b.txt"],
    ["[!a].txt", "b.txt"],
    ["a?c", "abc"],
    ["\\#a", "#a"],
    ["\\!a", "!a"],
    ["a\\ ", "a "],
    ["*\n!*.ts\na.ts", "a.ts"],
    ["a b  ", "a b"],
    ["x\r", "x"],
  ])("by %j: %s", (rules, path) => {
    expect(ignores(rules, path)).toBe(true);
  });

  test.each([
    ["/a.log", "x/a.log"],
    ["build/", "build"],
    ["doc/*.txt", "doc/x/a.txt"],
    ["doc/*.txt", "x/doc/a.txt"],
    ["foo/**", "foo"],
    ["# a", "a"],
    ["", "a"],
    ["!a", "a"],
    ["*.log\n!a.log", "a.log"],
    ["a*c", "a/c"],
    ["[a", "a"],
  ])("not by %j: %s", (rules, path) => {
    expect(ignores(rules, path)).toBe(false);
  });
});

test("it agrees with git about random rules and paths", async () => {
  await using dir = await scratch();
  execFileSync("git", ["init", "-q", dir.path]);
  const name = fc.constantFrom("a", "b", "ab", "a.c", ".a", "c");
  const part = fc.constantFrom(
    "a",
    "b",
    "ab",
    "*",
    "**",
    "?",
    "a*",
    "*b",
    "[ab]",
    "[!a]",
    "*.c",
    ".a",
    "a?",
    "\\a",
  );
  const rule = fc
    .tuple(
      fc.constantFrom("", "", "", "!"),
      fc.constantFrom("", "", "/"),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "", "/"),
    )
    .map(([not, slash, parts, end]) => `${not}${slash}${parts.join("/")}${end}`);
  const rules = fc.array(rule, { minLength: 1, maxLength: 5 });
  const paths = fc.uniqueArray(
    fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/")),
    { minLength: 5, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(rules, paths, async (lines, all) => {
      const text = `${lines.join("\n")}\n`;
      await dir.write({ ".gitignore": text });
      const input = all.map((path) => `${path}\0`).join("");
      const options = { cwd: dir.path, input, encoding: "utf8" } as const;
      // It ends with 1 when it ignores nothing.
      const { stdout } = spawnSync(
        "git",
        ["check-ignore", "--no-index", "-v", "-n", "--stdin", "-z"],
        options,
      );
      const output = stdout.split("\0");
      const byGit = all.filter((_path, at) => {
        const pattern = output[at * 4 + 2] ?? "";
        return pattern !== "" && !pattern.startsWith("!");
      });
      expect([text, all.filter((path) => ignores(text, path))]).toEqual([text, byGit]);
    }),
    { numRuns: times(3000) },
  );
});

test("a pattern cannot take for ever", () => {
  const rules = `${"*a".repeat(500)}b\n${"**/".repeat(200)}x\n[${"a-".repeat(1000)}\n`;
  const path = Array.from({ length: 200 }, () => "a".repeat(200)).join("/");
  expect(threadTime(() => expect(ignores(rules, path)).toBe(false))).toBeLessThan(20_000);
});

describe("a filter", () => {
  test.each([
    ["*.ts", "x/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["src/**", "src/x/a", true],
    ["src/*.ts", "src/x/a.ts", false],
    ["*.{js,ts}", "x/a.ts", true],
    ["*.{js,ts}", "a.css", false],
    ["{a,b}/{c,d}", "b/c", true],
    ["!*.test.ts", "a.ts", true],
    ["!*.test.ts", "a.test.ts", false],
    ["**/deep/*.md", "x/deep/a.md", true],
  ])("%s and %s: %s", (pattern, path, fits) => {
    expect(parseFilter(pattern)(path.split("/"))).toBe(fits);
  });
});
