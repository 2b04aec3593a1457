import { appendFile, rm, chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { toolStage } from "../../../kit/tool-context.ts";
import { fileStage, type FileStage } from "./file-stage.ts";

const content = (at: FileStage, name: string): Promise<string> => readFile(at.dir.at("in", name), "utf8");

describe("write_file", () => {
  test("makes a file with its directories, and shows it as a change from nothing", async () => {
    await using at = await fileStage({});
    const { result, text } = await at.call("write_file", { path: "a/b/c.txt", content: "one\ntwo\n" });
    expect(await content(at, "a/b/c.txt")).toBe("one\ntwo\n");
    expect(text).toBe("Created a/b/c.txt (2 lines).");
    const path = at.dir.at("in/a/b/c.txt");
    expect(result).toMatchObject({
      outcome: "ok",
      content: [{ type: "text" }, { type: "diff", path, oldText: null, newText: "one\ntwo\n" }],
      locations: [{ path, line: 1 }],
    });
  });

  test("shows the true old text when it replaces one, and keeps its mark and line ends", async () => {
    await using at = await fileStage({ "a.txt": "\uFEFFone\r\ntwo\r\n" });
    const { result, text } = await at.call("write_file", { path: "a.txt", content: "one\n2\n" });
    expect(await content(at, "a.txt")).toBe("\uFEFFone\r\n2\r\n");
    expect(text).toBe("Replaced a.txt (2 lines). Its lines still end in CR LF.");
    expect(result.content[1]).toMatchObject({ oldText: "one\r\ntwo\r\n", newText: "one\r\n2\r\n" });
    expect(result.locations).toMatchObject([{ line: 2 }]);
  });

  test("shows sizes instead of texts that are too large, or none", async () => {
    await using at = await fileStage({ binary: Buffer.from([0, 1, 2]) });
    const large = await at.call("write_file", { path: "large", content: "x".repeat(2_000_000) });
    expect(large.text).toContain("Replaces 0 characters by 2000000 characters.");
    const binary = await at.call("write_file", { path: "binary", content: "text" });
    expect(binary.text).toContain("a file that is no text");
    expect(await content(at, "binary")).toBe("text");
  });

  test("respects the file's own write protection", async () => {
    await using at = await fileStage({ "a.txt": "one" });
    await chmod(at.dir.at("in/a.txt"), 0o755);
    await at.call("write_file", { path: "a.txt", content: "two" });
    expect((await stat(at.dir.at("in/a.txt"))).mode & 0o777).toBe(0o755);
  });
});

describe("edit_file", () => {
  const edit = (old_text: string, new_text: string, all?: boolean) => ({
    path: "a.txt",
    old_text,
    new_text,
    ...(all === undefined ? {} : { all }),
  });

  test("replaces what occurs once, and shows what is around it now", async () => {
    await using at = await fileStage({ "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\n" });
    const { result, text } = await at.call("edit_file", edit("three\n", "3\n3.5\n"));
    expect(await content(at, "a.txt")).toBe("one\ntwo\n3\n3.5\nfour\nfive\nsix\n");
    expect(text).toBe(
      "Changed 1 place in a.txt:\n     1\tone\n     2\ttwo\n     3\t3\n     4\t3.5\n     5\tfour\n     6\tfive\n     7\tsix",
    );
    expect(result).toMatchObject({
      content: [{}, { type: "diff", oldText: "one\ntwo\nthree\nfour\nfive\nsix\n" }],
      locations: [{ path: at.dir.at("in/a.txt"), line: 3 }],
    });
  });

  test("replaces all when told to, and names the lines when it is not told", async () => {
    await using at = await fileStage({ "a.txt": "x\ny\nx\nx x\n" });
    expect((await at.call("edit_file", edit("x", "z"))).text).toContain(
      "old_text occurs 4 times in a.txt (lines 1, 3, 4, 4)",
    );
    expect(await content(at, "a.txt")).toBe("x\ny\nx\nx x\n");
    expect((await at.call("edit_file", edit("x", "z\nz", true))).text).toContain("Changed 4 places");
    expect(await content(at, "a.txt")).toBe("z\nz\ny\nz\nz\nz\nz z\nz\n");
  });

  test("takes LF for CR LF in a file that has only these", async () => {
    await using at = await fileStage({ "a.txt": "\uFEFFone\r\ntwo\r\nthree\r\n" });
    await at.call("edit_file", edit("one\ntwo", "1\n2"));
    expect(await content(at, "a.txt")).toBe("\uFEFF1\r\n2\r\nthree\r\n");
  });

  test("changes no line end that it was not asked to change", async () => {
    await using at = await fileStage({ "a.txt": "one\r\ntwo\nthree\r\n" });
    await at.call("edit_file", edit("two\n", "2\n"));
    expect(await content(at, "a.txt")).toBe("one\r\n2\nthree\r\n");
  });

  test("puts in what looks like a replacement pattern as it is", async () => {
    await using at = await fileStage({ "a.txt": "price" });
    await at.call("edit_file", edit("price", "$& $1 $$ $`"));
    expect(await content(at, "a.txt")).toBe("$& $1 $$ $`");
  });

  test.each([
    ["const  value = 1;", "the closest line is\n     2\t  const value = 1;"],
    ["zzzzzz", "old_text was not found in a.txt; read the file again"],
    ["     2\t  const value = 1;", "leave out the line numbers"],
    ["", "old_text is empty"],
    ["first", "old_text and new_text are the same"],
  ])("that does not fit is an error that helps: %j", async (old_text, message) => {
    await using at = await fileStage({ "a.txt": "first\n  const value = 1;\nlast\n" });
    const { result, text } = await at.call("edit_file", edit(old_text, "first"));
    expect(result.outcome).toBe("error");
    expect(text).toContain(message);
  });

  test("does not touch what is no text", async () => {
    await using at = await fileStage({ "a.txt": Buffer.from([0x61, 0xff, 0x62]) });
    expect((await at.call("edit_file", edit("a", "b"))).text).toBe(
      "a.txt cannot be edited: it is not UTF-8 text",
    );
    expect((await at.call("edit_file", { ...edit("a", "b"), path: "no" })).text).toContain("use write_file");
  });
});

describe("a file that somebody else changed", () => {
  test("since the session read it is not changed until it is read again", async () => {
    await using at = await fileStage({ "a.txt": "one\n" });
    await at.call("read_file", { path: "a.txt" });
    await appendFile(at.dir.at("in/a.txt"), "two\n");
    const edit = { path: "a.txt", old_text: "one", new_text: "1" };
    expect((await at.call("edit_file", edit)).text).toContain("read it again before you change it");
    expect((await at.call("write_file", { path: "a.txt", content: "x" })).text).toContain("read it again");
    expect(await content(at, "a.txt")).toBe("one\ntwo\n");
    await at.call("read_file", { path: "a.txt" });
    await at.call("edit_file", edit);
    await at.call("edit_file", { ...edit, old_text: "two", new_text: "2" });
    expect(await content(at, "a.txt")).toBe("1\n2\n");
  });

  test("since it was shown for approval is not changed", async () => {
    await using at = await fileStage({ "a.txt": "one\n" });
    const input = { path: "a.txt", content: "mine\n" };
    await at.permit("write_file", input);
    await writeFile(at.dir.at("in/a.txt"), "theirs\n");
    expect((await at.call("write_file", input)).result.outcome).toBe("error");
    expect(await content(at, "a.txt")).toBe("theirs\n");
    const fresh = { path: "new.txt", content: "mine\n" };
    await at.permit("write_file", fresh);
    await writeFile(at.dir.at("in/new.txt"), "theirs\n");
    expect((await at.call("write_file", fresh)).result.outcome).toBe("error");
    expect(await content(at, "new.txt")).toBe("theirs\n");
  });

  test("and took away may be written anew, unless it was still there when the change was shown", async () => {
    await using at = await fileStage({});
    const input = { path: "a.txt", content: "mine\n" };
    await at.call("write_file", input);
    await rm(at.dir.at("in/a.txt"));
    expect(await at.permit("write_file", input)).toMatchObject({ description: "Creates a.txt" });
    await at.call("write_file", input);
    expect(await content(at, "a.txt")).toBe("mine\n");
    await at.permit("write_file", input);
    await rm(at.dir.at("in/a.txt"));
    expect((await at.call("write_file", input)).text).toContain("was changed since");
  });
});

describe("a change asks", () => {
  test("with the whole change, and is harmless in the workspace", async () => {
    await using at = await fileStage({ "src/a.ts": "one\ntwo\n" });
    const path = at.dir.at("in/src/a.ts");
    expect(await at.permit("edit_file", { path: "src/a.ts", old_text: "two", new_text: "2" })).toMatchObject({
      verdict: "ask",
      harmless: true,
      command: "edit src/a.ts",
      description: "Changes src/a.ts",
      patterns: [`edit:${at.dir.at("in")}/**`],
      allowPermanent: true,
      content: [{ type: "diff", path, oldText: "one\ntwo\n", newText: "one\n2\n" }],
      locations: [{ path, line: 2 }],
    });
  });

  test.each([
    ".git/hooks/pre-commit",
    "sub/.git/config",
    ".GIT/config",
    ".env",
    ".env.local",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    ".ssh/authorized_keys",
    ".bashrc",
    ".npmrc",
    ".vscode/tasks.json",
    ".husky/pre-commit",
    ".agent/config.yaml",
    ".agents/skills/deploy/SKILL.md",
    ".agents/skills/deploy/run.sh",
    "skills/deploy/SKILL.md",
    "AGENTS.md",
    "sub/agents.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    ".claude/settings.json",
    ".cursor/rules/x.mdc",
    ".cursorrules",
    ".clinerules/x.md",
    ".kiro/hooks/x.json",
    ".mcp.json",
    "opencode.json",
    ".github/copilot-instructions.md",
    ".mvn/jvm.config",
    ".mvn/maven.config",
    ".forgejo/workflows/x.yml",
    ".gitea/workflows/x.yml",
    ".circleci/config.yml",
    ".woodpecker.yml",
    "azure-pipelines-release.yml",
    "Jenkinsfile",
    "hooks/post-checkout",
    "mirror.git/config",
    ".githooks/pre-push",
    "lefthook.yml",
    ".pre-commit-config.yaml",
    ".gitattributes",
    ".gitmodules",
    ".lfsconfig",
    ".idea/runConfigurations/x.xml",
    ".zed/tasks.json",
    ".helix/languages.toml",
    ".exrc",
    ".nvim.lua",
    ".dir-locals.el",
    "x.code-workspace",
    "x.sublime-project",
    ".devcontainer/devcontainer.json",
    ".gitpod.yml",
    ".gdbinit",
    ".Rprofile",
    ".zshenv",
    ".profile",
    ".config/fish/config.fish",
    ".config/systemd/user/x.service",
    "x.timer",
    ".local/bin/ls",
    ".cargo/config.toml",
    "rust-toolchain.toml",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "bunfig.toml",
    ".bazelrc",
    "Directory.Build.props",
    "gradle/wrapper/gradle-wrapper.properties",
    ".envrc",
    ".tool-versions",
    "mise.toml",
    "sitecustomize.py",
    "x.pth",
    "etc/cron.d/x",
    // The same names to file systems that take any case, or do not see some characters.
    ".\u017Fsh/config",
    ".g\u200Cit/config",
    "\uFF0Eenv",
    "linked/pre-commit",
  ])("and is not harmless where others run or trust it: %s", async (path) => {
    await using at = await fileStage({ ".git/hooks/x": "" });
    await symlink(".git/hooks", at.dir.at("in/linked"));
    const permit = await at.permit("write_file", { path, content: "x" });
    expect(permit).toMatchObject({ verdict: "ask", harmless: false, allowPermanent: false });
  });

  test.each([
    "src/agent.ts",
    "package.json",
    "Makefile",
    "src/skills/list.ts",
    "docs/claude.txt",
    "git/x",
    "key.ts",
    ".gitignore",
  ])("and is harmless in the project's own files: %s", async (path) => {
    await using at = await fileStage({});
    expect(await at.permit("write_file", { path, content: "x" })).toMatchObject({
      harmless: true,
      patterns: [`edit:${at.dir.at("in")}/**`],
    });
  });

  test("and each time anew in a workspace that is a home folder, by whatever name", async () => {
    await using at = await fileStage({ "a.txt": "" }, { home: (dir) => dir.at("home/me") });
    await mkdir(at.dir.at("home/me"), { recursive: true });
    await symlink(at.dir.at("home"), at.dir.at("way"));
    for (const root of [
      "/",
      at.dir.at("home"),
      at.dir.at("home/me"),
      at.dir.at("way"),
      at.dir.at("way/me"),
    ]) {
      const stage = toolStage({ cwd: at.dir.at("way/me"), roots: [root] });
      const path = at.dir.at(root.startsWith(at.dir.at("way")) ? "way/me/x" : "home/me/x");
      expect(await stage.permit(at.tool("write_file"), { path, content: "x" }), root).toMatchObject({
        harmless: false,
        allowPermanent: false,
        patterns: [`edit:${at.dir.at("home/me/x")}`],
      });
      expect(await stage.permit(at.tool("list_files"), { path: dirname(path) }), root).toMatchObject({
        verdict: "ask",
      });
    }
  });

  test("by an error, before anything happens, when it could not be carried out", async () => {
    await using at = await fileStage({ "a.txt": "one\n" });
    await expect(at.permit("edit_file", { path: "a.txt", old_text: "x", new_text: "y" })).rejects.toThrow(
      "not found",
    );
    await expect(at.permit("write_file", { path: "../x", content: "" })).rejects.toThrow(
      "outside the workspace",
    );
    await mkdir(at.dir.at("in/dir"));
    await expect(at.permit("write_file", { path: "dir", content: "" })).rejects.toThrow("is a directory");
  });
});
