import { symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { walkTree } from "../../../../src/providers/tools/files/walk-tree.ts";
import { fileError } from "../../../../src/providers/tools/workspace/file-error.ts";
import {
  openWorkspace,
  type WorkspaceDirectory,
} from "../../../../src/providers/tools/workspace/workspace.ts";
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

test("folders and rules that may not be read are passed over, but for the folder that was asked for", async () => {
  await using at = await fileStage({
    "a.txt": "",
    "theirs/secret": "",
    "ours/.gitignore": "x\n",
    "ours/b": "",
  });
  const denied = (): Promise<never> =>
    Promise.reject(fileError(Object.assign(new Error("denied"), { code: "EACCES" }), "theirs"));
  // The tests may run as the one user whom nothing is denied.
  const denying = (directory: WorkspaceDirectory): WorkspaceDirectory => ({
    ...directory,
    file: (name) => (name === ".gitignore" ? denied() : directory.file(name)),
    directory: async (name) => {
      const below = await directory.directory(name);
      if (below === undefined) return undefined;
      return name === "theirs" ? { ...denying(below), entries: denied } : denying(below);
    },
  });
  const workspace = openWorkspace({ cwd: at.dir.at("in"), roots: [at.dir.at("in")] }, "linux");
  const walk = { depth: 5, signal: new AbortController().signal };
  await using top = await workspace.openDirectory(".");
  const names = await Array.fromAsync(walkTree(workspace, denying(top), walk), ({ names }) =>
    names.join("/"),
  );
  expect(names).toEqual([".keep", "a.txt", "ours", "ours/.gitignore", "ours/b", "theirs"]);
  const asked = walkTree(workspace, { ...top, entries: denied }, walk);
  await expect(asked.next()).rejects.toThrow("Cannot use theirs: permission denied");
});
