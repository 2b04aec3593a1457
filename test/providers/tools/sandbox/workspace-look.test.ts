import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { harmlessSettings } from "../../../../src/providers/tools/sandbox/look/git-settings.ts";
import { openSandbox } from "../../../../src/providers/tools/sandbox/index.ts";
import { seatbeltProfile } from "../../../../src/providers/tools/sandbox/macos/profile.ts";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { WorkspaceLook } from "../../../../src/providers/tools/sandbox/look/workspace-look.ts";
import { scratch } from "../scratch.ts";
import { engine, stage, why } from "./sandbox-stage.ts";

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });

describe("settings of a repository", () => {
  test("keep what is harmless, and lose all else with every line that is not surely understood", () => {
    const { text, taken } = harmlessSettings(
      '[core]\n\tbare = false\n\tfsmonitor = "x"\n[remote "a]b"]\n\turl = https://x.y/z\n\turl = ext::sh -c x\n[core] pager = x\n[alias]\n\tx = !id\n\ty = a \\\nbare = true\n',
    );
    expect(text).toBe('[core]\n\tbare = false\n[remote "a]b"]\n\turl = https://x.y/z\n[alias]\n');
    expect(taken).toEqual(["core.fsmonitor", "remote.a]b.url", "[core] pager = x", "alias.x", "alias.y"]);
  });
});

describe("the profile for macOS", () => {
  test("refuses all but what is listed, keeps and hides after it lets, and quotes what it is given", () => {
    const text = seatbeltProfile({
      roots: ['/w/a"b\\'],
      writable: ["/t"],
      readable: ["/r"],
      kept: ["/w/.git/hooks"],
      hidden: ["/w/.env"],
      proxyPort: 4128,
    });
    expect(text.split("\n").slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
    expect(text).toContain(String.raw`(subpath "/w/a\"b\\")`);
    const order = [
      "(allow file-write* (subpath",
      '(deny file-write* (subpath "/w/.git/hooks"))',
      '(deny file-read* file-write* (subpath "/w/.env"))',
    ].map((line) => text.indexOf(line));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
    expect(text.match(/network-outbound/g)).toHaveLength(1);
    expect(text).toContain('(remote ip "localhost:4128")');
    expect(text.split("(").length).toBe(text.split(")").length);
  });
});

describe("a look at a workspace", () => {
  test("that takes what is known sees no new secret; the next one does", async () => {
    await using dir = await scratch();
    await dir.write({ "ws/a/b.txt": "b" });
    const look = new WorkspaceLook([dir.at("ws")]);
    const covered = async (as?: "known"): Promise<readonly string[]> => (await look.before(as)).walls.covered;
    // Nothing is known before the first look.
    expect(await covered("known")).toEqual([]);
    await dir.write({ "ws/a/.env": "SECRET=1" });
    expect(await covered("known")).toEqual([]);
    expect(await covered()).toEqual([dir.at("ws/a/.env")]);
    expect(await covered("known")).toEqual([dir.at("ws/a/.env")]);
  });
});

// Skipped where the machine cannot build the walls; the reason is in the name.
describe.skipIf(engine === undefined)(`a workspace inside ${why}`, () => {
  test("is looked at after a program, unless that certainly reads only", async () => {
    await using at = await stage();
    const leave = (name: string): string =>
      `mkdir -p ${name} && cd ${name} && git init -q && echo echo > .git/hooks/pre-commit`;
    const { exit: reader } = await at.run(leave("a"), { readsOnly: true });
    expect(reader).toMatchObject({ code: 0, sandbox: { disarmed: [] } });
    const { exit } = await at.run(leave("b"));
    expect(exit.sandbox?.disarmed.map(({ path }) => path)).toEqual([at.dir.at("ws/b/.git/hooks/pre-commit")]);
  });

  test("shows a secret that git keeps, and covers one that it does not", async () => {
    await using at = await stage();
    await at.dir.write({ "ws/.env": "SECRET=1", "ws/fixtures/test.pem": "for all" });
    git(at.root, "init", "-q");
    git(at.root, "add", "fixtures");
    git(at.root, "commit", "-qm", "a");
    const { text } = await at.run("cat .env fixtures/test.pem; git status --short");
    expect(text).toContain("for all");
    expect(text).not.toContain("SECRET=1");
    expect(text).not.toContain(" fixtures");
    await at.dir.write({ "ws/new/.env.local": "LATER=1" });
    expect((await at.run("cat new/.env.local")).text).not.toContain("LATER");
  });

  test("has no settings changed by another name of theirs, nor added to a repository that was there", async () => {
    await using at = await stage();
    const config = (repository: string): string =>
      readFileSync(at.dir.at("ws", repository, "config"), "utf8");
    await at.run("git init -q r && ln r/.git/config back; ln r/.git/config back2");
    await at.run("printf '[core]\\n\\tfsmonitor = id\\n' | tee -a back >> back2");
    expect(config("r/.git")).not.toContain("fsmonitor");
    expect(readFileSync(at.dir.at("ws/back"), "utf8")).toContain("fsmonitor");
    // A person's repository with settings of its tree allowed, and a module without hooks.
    git(at.root, "init", "-q", "p");
    git(at.dir.at("ws/p"), "config", "extensions.worktreeConfig", "true");
    git(at.root, "init", "-q", "--bare", "p/.git/modules/m");
    await rm(at.dir.at("ws/p/.git/modules/m/hooks"), { recursive: true });
    const { exit } = await at.run(
      "cd p/.git; printf '[core]\\n\\tfsmonitor = id\\n' | tee config.worktree > modules/m/config.worktree; echo x > modules/m/commondir; mkdir modules/m/hooks; echo x > modules/m/hooks/post-commit",
    );
    expect(config("p/.git/../.git")).not.toContain("fsmonitor");
    for (const name of ["p/.git/config.worktree", "p/.git/modules/m/config.worktree"])
      expect(readFileSync(at.dir.at("ws", name), "utf8")).not.toContain("fsmonitor");
    expect(existsSync(at.dir.at("ws/p/.git/modules/m/commondir"))).toBe(false);
    expect(existsSync(at.dir.at("ws/p/.git/modules/m/hooks/post-commit"))).toBe(false);
    expect(exit.sandbox?.disarmed).toHaveLength(4);
  });

  test("says when it holds more secrets or files that others obey than can be kept", async () => {
    await using at = await stage();
    await at.run("true");
    expect(at.sandbox.gaps.filter((gap) => gap.startsWith("The workspace"))).toEqual([]);
    const names = Array.from({ length: 201 }, (_, index) => [`ws/d${index}/AGENTS.md`, ""] as const);
    await at.dir.write(Object.fromEntries(names));
    await at.run("true");
    expect(at.sandbox.gaps.filter((gap) => gap.startsWith("The workspace"))).toEqual([
      expect.stringContaining("files that programs outside obey"),
    ]);
  });

  test("may be a linked working tree: commits work, the repository's settings cannot be changed", async () => {
    await using at = await stage();
    await mkdir(at.dir.at("main"));
    git(at.dir.at("main"), "init", "-q");
    git(at.dir.at("main"), "commit", "-q", "--allow-empty", "-m", "a");
    git(at.dir.at("main"), "worktree", "add", "-q", at.dir.at("tree"), "-b", "b");
    await using inside = await stage({ roots: [at.dir.at("tree")] });
    const script =
      "echo x > f; git add f; git -c user.name=a -c user.email=a@b commit -qm inside && git log --oneline | wc -l; git config core.pager x; echo x > $(git rev-parse --git-common-dir)/hooks/post-commit";
    const { text } = await inside.run(script, { cwd: at.dir.at("tree") });
    expect(text).toMatch(/^2\n/);
    expect(git(at.dir.at("main"), "log", "--format=%s", "b")).toBe("inside\na\n");
    expect(git(at.dir.at("main"), "config", "--list")).not.toContain("core.pager");
    expect(existsSync(at.dir.at("main/.git/hooks/post-commit"))).toBe(false);
  });

  test("has no folder opened by a .git file that anybody can write", async () => {
    await using at = await stage();
    await at.dir.write({
      "home/.ssh/gitdir": "x",
      "ws/.git": `gitdir: ${at.dir.at("home/.ssh")}\n`,
      "home/.ssh/HEAD": "ref: x",
    });
    const { text } = await at.run(`ls ${at.dir.at("home/.ssh")}; cat ${at.dir.at("home/.ssh/gitdir")}`);
    expect(text.match(/No such file/g)).toHaveLength(2);
  });

  test("works by the name of a link to it, with the same walls", async () => {
    await using at = await stage();
    await at.dir.write({ "ws/.env": "SECRET=1" });
    await symlink(at.root, at.dir.at("link"));
    await using inside = await stage({ roots: [at.dir.at("link")] });
    const { text } = await inside.run("cat .env; echo x > f; cat f", { cwd: at.dir.at("link") });
    expect(text).not.toContain("SECRET");
    expect(text).toMatch(/x\n$/);
  });

  test("is refused when it holds what has to stay outside", async () => {
    await using at = await stage();
    const found = engine;
    if (found === undefined) return;
    const base = { apart: [at.dir.at("agent")], home: at.dir.at("home"), tempDir: at.dir.at("tmp") };
    const reasons = ["/", "/usr", at.dir.path, at.dir.at("home"), at.dir.at("agent"), at.dir.at("tmp")].map(
      async (root) => {
        const opened = await openSandbox(
          found,
          { ...base, roots: [root] },
          { machine: process, clock: systemClock },
        );
        return opened.available ? "it was opened" : "refused";
      },
    );
    expect(new Set(await Promise.all(reasons))).toEqual(new Set(["refused"]));
  });

  test("tells of new files that others obey, and of what was disarmed", async () => {
    await using at = await stage();
    const { exit } = await at.run(
      "mkdir .vscode; echo x > .vscode/tasks.json; git init -q r; git -C r config alias.x '!id'",
    );
    expect(exit.sandbox?.obeyed).toEqual([at.dir.at("ws/.vscode")]);
    expect(exit.sandbox?.disarmed).toEqual([
      { path: at.dir.at("ws/r/.git/config"), what: "settings of git that run programs: alias.x" },
    ]);
  });
});
