import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { isPlainConfig, isPlainRepository } from "../../../../src/providers/tools/shell/git-config.ts";
import { openWorkspace } from "../../../../src/providers/tools/workspace/workspace.ts";
import { scratch } from "../scratch.ts";

test("settings that name no program are plain", () => {
  const config = `; made by git
[core]
	repositoryformatversion = 0
	filemode = true # comment
	bare = false
[remote "origin"]
	url = git@example.com:a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
[user] name = Me
`;
  expect(isPlainConfig(config)).toBe(true);
});

test.each([
  "[core]\nfsmonitor = evil",
  "[CORE]\nFsMonitor = evil",
  "[core] fsmonitor = evil",
  "[core]\npager = evil",
  "[core]\nsshCommand = evil",
  "[core]\nhooksPath = evil",
  '[diff "x"]\ntextconv = evil',
  "[diff]\nexternal = evil",
  '[filter "x"]\nclean = evil',
  "[alias]\nst = !evil",
  "[include]\npath = ../evil",
  '[includeIf "gitdir:x"]\npath = evil',
  "[pager]\nlog = evil",
  "[gpg]\nprogram = evil",
  '[remote "x"]\nuploadpack = evil',
  "[user]\nname = a \\\n[diff]\nexternal = evil",
  "[core \nfsmonitor = evil",
  '[core "x]y"]\nfsmonitor = evil',
  "fsmonitor = evil",
])("settings that name one, or that are not understood, are not: %j", (config) => {
  expect(isPlainConfig(config)).toBe(false);
});

test("the nearest repository in the workspace decides; one above it is the person's own", async () => {
  await using dir = await scratch();
  await dir.write({ ".git/config": "[core]\nfsmonitor = own\n", "in/a/b/file": "x" });
  const workspace = openWorkspace({ cwd: dir.at("in"), roots: [dir.at("in")] }, "linux");
  expect(await isPlainRepository(workspace, dir.at("in/a/b"))).toBe(true);
  await dir.write({ "in/.git/config": "[core]\nfsmonitor = evil\n" });
  expect(await isPlainRepository(workspace, dir.at("in/a/b"))).toBe(false);
  await dir.write({ "in/a/.git/config": "[core]\nbare = false\n" });
  expect(await isPlainRepository(workspace, dir.at("in/a/b"))).toBe(true);
  await writeFile(dir.at("in/a/b/.git"), "gitdir: /somewhere/else\n");
  expect(await isPlainRepository(workspace, dir.at("in/a/b"))).toBe(false);
});
