import { describe, expect, test } from "vitest";
import { judge } from "../../../../src/core/questions/approvals.ts";
import { DEFAULT_POLICY, EMPTY_STATE, type Permit, type SessionMode } from "../../../../src/core/index.ts";
import { writtenRules } from "../../../../src/providers/tools/index.ts";
import type { Sandbox } from "../../../../src/providers/tools/sandbox/port.ts";
import {
  type CommandSite,
  type CommandSites,
  OUTSIDE_ONLY,
} from "../../../../src/providers/tools/terminal/command-site.ts";
import { terminalStage } from "./terminal-stage.ts";

/** Walls that are never used: only what is decided about a command is looked at. */
const NOTHING = {} as Sandbox;
const at = (site: CommandSite, obeyed: readonly string[] = []): (() => CommandSites) => {
  return () => ({ ...OUTSIDE_ONLY, siteOf: () => Promise.resolve(site), obeyed: () => obeyed });
};
const inSandbox = at({ place: "inside", sandbox: NOTHING });

async function permit(input: object, sites = inSandbox): Promise<Permit> {
  await using stage = await terminalStage({ sites });
  const given = await stage.permit("terminal", input);
  if (given === undefined) throw new Error("The tool judges each call.");
  return given;
}

/** What the core decides in a mode, with some rules of the owner. */
function decided(given: Permit, mode: SessionMode, allowed: readonly string[] = []): string {
  const policy = { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, allowed } };
  const state = { ...EMPTY_STATE, settings: { mode } };
  return judge({ permit: given, effect: "once" }, policy, state).action;
}

describe("a command where there is a sandbox", () => {
  test.each(["npm test", "rm -rf build", "x=$(date); echo $x > a", "curl https://example.com", "make &"])(
    "%s runs inside: unasked in edits and all, asked in ask, refused in plan",
    async (command) => {
      const given = await permit({ command });
      expect(given).toMatchObject({ verdict: "ask", place: "inside", harmless: true });
      expect(["edits", "all", "ask", "plan"].map((mode) => decided(given, mode as SessionMode))).toEqual([
        "run",
        "run",
        "ask",
        "deny",
      ]);
    },
  );

  test("in the background it runs inside as well", async () => {
    expect(await permit({ command: "npm start", background: true })).toMatchObject({ place: "inside" });
  });

  test("one that only reads runs in every mode", async () => {
    const given = await permit({ command: "cat README.md" });
    expect(given.verdict).toBe("allow");
    expect(decided(given, "plan")).toBe("run");
  });

  test("one that certainly reads only spares the looks around it, where it means the same inside", async () => {
    const onThisSystem = at({ place: "inside", sandbox: { hasSystem: true } as Sandbox });
    const reads = { verdict: "allow", readsOnly: true };
    expect(await permit({ command: "cat README.md" }, onThisSystem)).toMatchObject(reads);
    // Another image has its programs elsewhere, and the folder of git that is made for a line is outside.
    expect(await permit({ command: "cat README.md" })).not.toHaveProperty("readsOnly");
    expect(await permit({ command: "git status" }, onThisSystem)).not.toHaveProperty("readsOnly");
    expect(await permit({ command: "cat README.md > a" }, onThisSystem)).not.toHaveProperty("readsOnly");
  });

  test("one that never runs does not run inside either", async () => {
    expect(await permit({ command: "rm -rf /" })).toMatchObject({ verdict: "block" });
  });

  test.each([
    "git push origin main",
    "ssh host uptime",
    "docker ps",
    "sudo ls",
    "systemctl restart x",
    "npm publish",
    "gh pr create",
    "rsync -a . host:/x",
    "/usr/bin/git push",
    "npm test && git push",
  ])("%s cannot work inside: it is asked for outside, in every mode", async (command) => {
    const given = await permit({ command });
    expect(given).toMatchObject({ verdict: "ask", place: "outside", leaves: true, harmless: false });
    expect(JSON.stringify(given)).toContain("Would run outside the sandbox");
    expect(["edits", "all", "ask"].map((mode) => decided(given, mode as SessionMode))).toEqual([
      "ask",
      "ask",
      "ask",
    ]);
  });

  test.each([
    "git -C . push origin HEAD",
    "git -c push.default=current --git-dir=.git --work-tree . --no-pager push",
    'git push origin "$(git branch --show-current)"',
    "git push origin HEAD > out.log",
    "git push origin HEAD # déjà",
    "git commit -m 'two\nlines' && git push",
    "git push && rm -rf build/😀",
    "FOO=1 git push",
    "env A=1 git push",
    "command git push",
    "time git push",
    "nice -n 5 nohup git push",
    "(git push)",
    "{ git push; } 2>&1",
    "for i in 1; do git push; done",
    "if true; then git push; fi",
    "case $x in a) git push;; esac",
    "x=$(git push 2>&1); echo $x",
    "echo `git push`",
    "a=(one $(git push))",
    "xargs git push </dev/null",
    "find . -name x -exec git push ';'",
    'sh -c "cd $DIR && git push"',
    "bash <<'END'\ngit push\nEND",
    "env sh -c 'command git push'",
    "git push origin 'HEAD",
    "npm --prefix web publish",
    "apt-get -y install jq",
    "kill $(pgrep node)",
  ])("%s is one of them, wherever it stands", async (command) => {
    expect(await permit({ command })).toMatchObject({ place: "outside", leaves: true });
  });

  test.each([
    "git log --grep push",
    'git -C . log --grep "git push"',
    'echo "git push"',
    'echo "git push" > note # git push',
    'grep -r "git push" . > found',
    "git stash push -m x > log",
    "git commit -m \"$(cat <<'END'\nhow to git push\nEND\n)\"",
    "cat > run.sh <<END\ngit push\nEND",
    "command -v docker > /dev/null",
    "for each in docker kubectl; do command -v $each; done",
    "case $1 in open) make;; kill) make clean;; esac",
    "tools=(docker kubectl)",
    "python3 -c 'print(\"git push\")'",
    "node server.js & sleep 1; kill $!",
    "docker-credential-x list",
  ])("%s is none of them", async (command) => {
    expect(await permit({ command })).not.toMatchObject({ leaves: true });
  });

  test("the agent can say that such a command is to run inside", async () => {
    expect(await permit({ command: "git push", outside: false })).toMatchObject({ place: "inside" });
  });

  test("what the agent asks to run outside shows its reason, on one line", async () => {
    const given = await permit({ command: "npm i", outside: true, reason: "the registry\n\nis private" });
    expect(given).toMatchObject({
      place: "outside",
      leaves: true,
      description: expect.stringContaining("The agent says why: the registry is private") as unknown,
    });
  });
});

describe("rules", () => {
  test("one that allows a command lets it run inside, and not out", async () => {
    const inside = await permit({ command: "npm test" });
    const outside = await permit({ command: "npm test", outside: true });
    expect(decided(inside, "ask", ["npm test *"])).toBe("run");
    expect(decided(outside, "ask", ["npm test *"])).toBe("ask");
    expect(decided(outside, "ask", ["outside:npm test *"])).toBe("run");
    expect(decided(inside, "ask", ["outside:npm test *"])).toBe("ask");
  });

  test.each([
    ["git push", "outside:git push *"],
    ["git push -u origin feature/x", "outside:git push *"],
    ["git push --force origin main", "outside:git push --force origin main"],
    ["git push origin +main", "outside:git push origin +main"],
    ["git push https://example.com/x main", "outside:git push https://example.com/x main"],
    ["docker ps", "outside:docker ps"],
  ])("%s leaves %s behind", async (command, rule) => {
    expect(await permit({ command })).toMatchObject({ patterns: [rule] });
    expect(writtenRules(rule)).toEqual([rule]);
  });

  test("nothing that lasts is left behind once commands changed what others obey", async () => {
    const given = await permit(
      { command: "git push" },
      at({ place: "inside", sandbox: NOTHING }, ["/w/.husky/x"]),
    );
    expect(given).toMatchObject({ patterns: [] });
    expect(JSON.stringify(given)).toContain("/w/.husky/x");
    expect(decided(given, "edits", ["outside:git push *"])).toBe("ask");
  });

  test.each([
    "outside:",
    "outside:rm -r x",
    "outside:sudo ls",
    "outside:npm *",
    "reach:",
    "reach:http://a/b",
  ])("%j is refused", (rule) => {
    expect(() => writtenRules(rule)).toThrow(/was not kept/);
  });

  test("hosts are written with reach:", () => {
    expect(writtenRules("reach:*.example.com:8080")).toEqual(["reach:*.example.com:8080"]);
  });
});

describe("a command where there is no sandbox", () => {
  test("is asked about as ever, and the question says why there is none", async () => {
    const given = await permit(
      { command: "npm test" },
      at({ place: "outside", why: "bubblewrap is not installed." }),
    );
    expect(given).toMatchObject({
      verdict: "ask",
      harmless: false,
      place: "outside",
      patterns: ["npm test *"],
    });
    expect(JSON.stringify(given)).toContain("There is no sandbox: bubblewrap is not installed.");
    expect(decided(given, "edits")).toBe("ask");
    expect(decided(given, "all")).toBe("run");
  });

  test.each(["npm test", "ls"])("%s is refused where it must not run without one", async (command) => {
    const given = await permit({ command }, at({ place: "refused", reason: "there is none. Do this." }));
    expect(given).toEqual({ verdict: "block", reason: "Not run: there is none. Do this." });
  });
});
