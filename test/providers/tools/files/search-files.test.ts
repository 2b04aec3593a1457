import { chmod, readdir, symlink } from "node:fs/promises";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { describe, expect, test } from "vitest";
import {
  findRipgrep,
  parseFindings,
  ripgrepSearcher,
} from "../../../../src/providers/tools/files/ripgrep-search.ts";
import { ownSearcher } from "../../../../src/providers/tools/files/own-search.ts";
import type { Searcher } from "../../../../src/providers/tools/files/search.ts";
import { Spawner } from "../../../../src/providers/tools/spawn/spawner.ts";
import { hastyClock } from "../spawn/spawning.ts";
import { toolStage } from "../../../kit/tool-context.ts";
import { searchFilesTool } from "../../../../src/providers/tools/files/search-files.ts";
import { SeenFiles } from "../../../../src/providers/tools/files/seen-files.ts";
import { fileStage, type FileStage } from "./file-stage.ts";

const FILES = {
  "src/a.ts": "const one = 1;\nconst two = 2; // TODO\nexport { one };\r\n",
  "src/deep/b.ts": "import { one } from '../a';\n// todo later\n",
  "src/c.test.ts": "one\n",
  "docs/guide.md": "# One\n\nSee one.\n",
  ".hidden/x.txt": "one hidden\n",
  "node_modules/x/index.js": "one\n",
  "dist/out.js": "one\n",
  ".gitignore": "dist/\n*.log\n",
  "a.log": "one\n",
  "sub/.gitignore": "!keep.log\nskip.txt\n",
  "sub/keep.log": "one kept\n",
  "sub/skip.txt": "one\n",
  binary: Buffer.from("one\0two\n"),
  latin: Buffer.from([0x6f, 0x6e, 0x65, 0xe9, 0x0a]),
  bom: "\uFEFFone at the beginning\n",
  long: `${"x".repeat(1000)} one\n`,
  "odd\nname": "one\n",
  "-dash": "one\n",
  ".git/config": "one\n",
};

const spawner = new Spawner({ machine: process, clock: systemClock, hostId: "search", tempDir: "/tmp" });
const program = await findRipgrep(process.env["PATH"]);

const searchers: readonly (readonly [string, Searcher])[] = [
  ["our own hands", ownSearcher],
  ...(program === undefined ? [] : [["ripgrep", ripgrepSearcher(program, spawner)] as const]),
];

function stageFor(
  searcher: Searcher,
  files: Readonly<Record<string, string | Uint8Array>> = FILES,
): Promise<FileStage> {
  return fileStage(files, { searcher: () => Promise.resolve(searcher) });
}

test("ripgrep is here to compare with", () => {
  expect(searchers).toHaveLength(2);
});

describe.each(searchers)("a search by %s", (_name, searcher) => {
  test("finds lines with their files and numbers, in order, without what git ignores", async () => {
    await using at = await stageFor(searcher);
    const { result, text } = await at.call("search_files", { pattern: "\\bone\\b" });
    expect(text.split("\n").map((line) => line.slice(0, 60))).toEqual([
      "-dash:1: one",
      ".hidden/x.txt:1: one hidden",
      "bom:1: one at the beginning",
      "docs/guide.md:3: See one.",
      "latin:1: one\uFFFD",
      `long:1: ${"x".repeat(52)}`,
      "odd",
      "name:1: one",
      "src/a.ts:1: const one = 1;",
      "src/a.ts:3: export { one };",
      "src/c.test.ts:1: one",
      "src/deep/b.ts:1: import { one } from '../a';",
      "sub/keep.log:1: one kept",
    ]);
    expect(result).toMatchObject({ outcome: "ok", summary: "12 lines in 11 files" });
    expect(text).toContain("[… 604 more characters]");
  });

  test("keeps to a path, a glob and a limit", async () => {
    await using at = await stageFor(searcher);
    const lines = async (input: object): Promise<readonly string[]> =>
      (await at.call("search_files", { pattern: "one", ...input })).text.split("\n");
    expect(await lines({ path: "docs" })).toEqual(["docs/guide.md:3: See one."]);
    expect(await lines({ path: "src/deep/b.ts" })).toEqual(["src/deep/b.ts:1: import { one } from '../a';"]);
    expect(await lines({ path: at.dir.at("in/docs") })).toEqual(["docs/guide.md:3: See one."]);
    expect(await lines({ glob: "*.test.ts" })).toEqual(["src/c.test.ts:1: one"]);
    expect(await lines({ glob: "src/*.{md,ts}", pattern: "export" })).toEqual([
      "src/a.ts:3: export { one };",
    ]);
    expect(await lines({ glob: "!*.ts", path: "src" })).toEqual(["Nothing was found."]);
    expect(await lines({ limit: 2 })).toEqual([
      "-dash:1: one",
      ".hidden/x.txt:1: one hidden",
      "",
      "[There is more: narrow the pattern, the path or the glob.]",
    ]);
    expect(await lines({ path: "node_modules" })).toEqual(["node_modules/x/index.js:1: one"]);
    expect(await lines({ path: "dist" })).toEqual(["dist/out.js:1: one"]);
    expect(await lines({ path: "sub", pattern: "kept" })).toEqual(["sub/keep.log:1: one kept"]);
    expect(await lines({ path: "a.log" })).toEqual(["a.log:1: one"]);
  });

  test.each([
    ["(?i)todo", 2],
    ["^one$", 3],
    [";$", 3],
    ["one;?\\s*\\}", 2],
    ["[[:digit:]]", 2],
    ["(?<=const )two", 1],
    ["One|See", 2],
    ["\\{ one \\}", 2],
    ["'\\.\\./a'", 1],
    ["#", 1],
    ["é", 0],
    ["x{1000} one", 1],
  ])("understands %s", async (pattern, count) => {
    await using at = await stageFor(searcher);
    const { text } = await at.call("search_files", { pattern, limit: 100 });
    expect(text.split("\n").filter((line) => /:\d+: /.test(line))).toHaveLength(count);
  });

  test("says what is wrong with a pattern", async () => {
    await using at = await stageFor(searcher);
    const { result, text } = await at.call("search_files", { pattern: "one(" });
    expect(result.outcome).toBe("error");
    expect(text).toContain("The pattern cannot be used");
  });

  test("does not follow links and never leaves the workspace", async () => {
    await using at = await stageFor(searcher, { "src/a.txt": "one\n" });
    await at.dir.write({ "out/secret.txt": "one secret\n" });
    await symlink(at.dir.at("out"), at.dir.at("in/link"));
    await symlink(at.dir.at("out/secret.txt"), at.dir.at("in/secret"));
    await symlink("..", at.dir.at("in/src/up"));
    expect((await at.call("search_files", { pattern: "one" })).text).toBe("src/a.txt:1: one");
    for (const path of ["link", "secret", "../out", "/etc"]) {
      expect((await at.call("search_files", { pattern: "one", path })).text).toContain(
        "is outside the workspace",
      );
    }
    expect((await at.call("search_files", { pattern: "one", path: "src/up/src" })).text).toBe(
      "src/up/src/a.txt:1: one",
    );
  });

  test("goes around what may not be read", async () => {
    await using at = await stageFor(searcher, { "a.txt": "one\n", "closed/b.txt": "one\n" });
    await chmod(at.dir.at("in/closed"), 0o000);
    const { result } = await at.call("search_files", { pattern: "one" });
    await chmod(at.dir.at("in/closed"), 0o755);
    expect(result.outcome).toBe("ok");
  });

  test("works through many files in batches", async () => {
    const files = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`d${i % 7}/f${i}`, `n ${i}\n`]));
    await using at = await stageFor(searcher, files);
    const { result, previews } = await at.call("search_files", { pattern: "n \\d*7$", limit: 1000 });
    expect(result.summary).toBe("120 lines in 120 files");
    expect(previews.length).toBeGreaterThan(1);
  });
});

test("both searchers find the same in this repository", async () => {
  const [own, rg] = await Promise.all(
    searchers.map(async ([, searcher]) => {
      const tool = searchFilesTool({
        platform: "linux",
        seen: new SeenFiles(),
        limit: 1_000_000,
        searcher: () => Promise.resolve(searcher),
        apart: [],
        home: "/home/me",
      });
      const stage = toolStage({ cwd: `${import.meta.dirname}/../../../..` });
      return await stage.run(tool, { pattern: '\\bHostError\\("[a-z_]+"', path: "src/core", limit: 1000 });
    }),
  );
  expect(own?.text).toBe(rg?.text);
  expect(own?.text).toContain("src/core/");
});

test("a searcher that was led outside gives nothing away", async () => {
  const liar: Searcher = {
    async *search(_scope, _pattern, _files) {
      yield { file: "link/secret.txt", lines: [1] };
      yield { file: "../out/secret.txt", lines: [1] };
    },
  };
  await using at = await stageFor(liar, { "a.txt": "one\n" });
  await at.dir.write({ "out/secret.txt": "secret\n" });
  await symlink(at.dir.at("out"), at.dir.at("in/link"));
  expect((await at.call("search_files", { pattern: "x" })).text).toBe("Nothing was found.");
});

test("a pattern that takes for ever is ended", async () => {
  const tool = searchFilesTool({
    platform: "linux",
    seen: new SeenFiles(),
    limit: 28_000,
    searcher: () => Promise.resolve(ownSearcher),
    apart: [],
    home: "/home/me",
  });
  await using at = await fileStage({ "a.txt": `${"a".repeat(40)}!\n` });
  const stage = toolStage({ cwd: at.dir.at("in"), clock: hastyClock });
  const { result, text } = await stage.run(tool, { pattern: "^(a+)+$" });
  expect(result.outcome).toBe("error");
  expect(text).toContain("takes too long");
});

test("what ripgrep says is read whatever the names are", () => {
  const said = "./a\u00001:x\n./a\u000012:[Omitted long line]\r\n./odd\nname\u00003:\n./c:d\u00004:e:f\n";
  expect([...parseFindings(said)]).toEqual([
    { file: "a", lines: [1, 12] },
    { file: "odd\nname", lines: [3] },
    { file: "c:d", lines: [4] },
  ]);
  expect([...parseFindings("")]).toEqual([]);
});

test("searching leaves no file open", async () => {
  await using at = await stageFor(ownSearcher);
  const open = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
  await at.call("search_files", { pattern: "one" });
  const before = await open();
  for (let i = 0; i < 5; i += 1) await at.call("search_files", { pattern: "one", limit: 1 });
  expect(await open()).toBeLessThanOrEqual(before);
});
