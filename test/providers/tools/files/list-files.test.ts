import { symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { fileStage } from "./file-stage.ts";

test("a directory is shown as a tree, without what git ignores", async () => {
  await using at = await fileStage({
    "src/a.ts": "",
    "src/deep/deeper/deepest/x.ts": "",
    "README.md": "",
    "dist/out.js": "",
    "node_modules/x/index.js": "",
    ".git/config": "",
    ".gitignore": "dist\n",
  });
  await symlink("/etc", at.dir.at("in/link"));
  const { result, text } = await at.call("list_files", {});
  expect(text).toBe(
    [".gitignore", ".keep", "README.md", "link@", "src/", "  a.ts", "  deep/", "    deeper/"].join("\n"),
  );
  expect(result.summary).toBe("8 entries");
  expect((await at.call("list_files", { depth: 1 })).text).toBe(".gitignore\n.keep\nREADME.md\nlink@\nsrc/");
  expect((await at.call("list_files", { path: "src/deep" })).text).toBe("deeper/\n  deepest/\n    x.ts");
  expect((await at.call("list_files", { path: "dist" })).text).toBe("out.js");
  expect((await at.call("list_files", { path: "link" })).text).toContain("outside the workspace");
});

test("large directories and long listings are cut, and say so", async () => {
  const files = Object.fromEntries([
    ...Array.from({ length: 300 }, (_, i): [string, string] => [`big/f${i}`, ""]),
    ["small/x", ""],
  ]);
  await using at = await fileStage(files);
  const { text, result } = await at.call("list_files", {});
  expect(text.split("\n")).toContain("  …");
  expect(text).toContain("[200 entries of large directories are left out.]");
  expect(text).toContain("small/\n  x");
  expect(result.summary).toBe("104 entries");
  const one = await at.call("list_files", { path: "big" });
  expect(one.result.summary).toBe("300 entries");
  const many = Object.fromEntries(Array.from({ length: 1500 }, (_, i): [string, string] => [`f${i}`, ""]));
  await using wide = await fileStage(many);
  const cut = await wide.call("list_files", {});
  expect(cut.result.summary).toBe("1000 entries");
  expect(cut.text).toContain("There is more: name a directory");
});

test("an empty directory and names with line ends are shown in words", async () => {
  await using at = await fileStage({ "a/odd\nname": "", "b/.gitignore": "*\n" });
  expect((await at.call("list_files", { path: "a" })).text).toBe('"odd\\nname"');
  expect((await at.call("list_files", { path: "b" })).text).toBe(
    "(the directory is empty, or git ignores all of it)",
  );
});
