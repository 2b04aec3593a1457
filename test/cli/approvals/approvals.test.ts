import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

test("rules are listed with what they cover, kept, and removed; other words of the file stay", async () => {
  await using stage = new CommandStage();
  stage.configure("# mine\napprovals:\n  mode: manual # careful\n");
  expect((await stage.ask(["approvals"])).stdout).toBe("Approvals: manual\nNo rules are kept.\n");
  const kept = await stage.ask(["approvals", "allow", "git commit -m x"]);
  expect(kept).toMatchObject({ code: 0, stdout: "Runs without asking from now on: git commit *\n" });
  await stage.ask(["approvals", "deny", "git push *"]);
  const listed = await stage.ask(["approvals", "list"]);
  expect(listed.stdout).toMatch(
    /1\. allow {2}git commit \* {2}\(git commit with any[^\n]*\n2\. deny {3}git push \* {2}\(git push with anything/,
  );
  expect(JSON.parse((await stage.ask(["approvals", "list", "--json"])).stdout)).toMatchObject({
    mode: "manual",
    rules: [
      { list: "allowed", rule: "git commit *" },
      { list: "denied", rule: "git push *" },
    ],
  });
  const wide = await stage.ask(["approvals", "allow", "git push *"]);
  expect(wide.code).not.toBe(0);
  expect(wide.stderr).toContain("would cover nothing");
  expect((await stage.ask(["approvals", "remove", "1"])).stdout).toBe("No longer allowed: git commit *\n");
  const file = readFileSync(join(stage.home, "config.yaml"), "utf8");
  expect(file).toBe("# mine\napprovals:\n  mode: manual # careful\n  denied:\n    - git push *\n");
  expect((await stage.ask(["approvals", "remove", "git commit *"])).stderr).toContain("no rule");
});

test("a rule for a folder holds there, in a process of its own, and nowhere else", async () => {
  await using stage = new CommandStage();
  const kept = await stage.ask(["approvals", "allow", "--here", "touch x"]);
  expect(kept.stdout).toBe(`Runs without asking from now on: in:${realpathSync(stage.workspace)}:touch *\n`);
  for (const [rule, why] of [
    ["in:work:make", "names it, without a colon"],
    ["in:/work:git push *", "would cover nothing"],
    ["in:/work:rm x", "removes files"],
    ["in:/work:edit:/work/**", "names it, without a colon"],
  ] as const)
    expect((await stage.ask(["approvals", "allow", rule])).stderr).toContain(why);
  expect((await stage.ask(["approvals", "deny", "in:/work:make"])).stderr).toContain("leave `in:` out");
  const stdin = "run `touch here`\n";
  await stage.ask(["--plain"], { stdin });
  expect(existsSync(join(stage.workspace, "here"))).toBe(true);
  const other = join(stage.folder, "other");
  mkdirSync(other);
  const elsewhere = await stage.ask(["run", "--cwd", other, "run `touch here`"]);
  expect(elsewhere.stdout).toContain("it needs an approval");
  expect(existsSync(join(other, "here"))).toBe(false);
});

test("/approvals shows and changes them, and a denied command is not even asked about", async () => {
  await using stage = new CommandStage();
  const stdin = "/approvals deny git tag *\nrun `git tag v1`\n/approvals\n/approvals remove 1\n/approvals\n";
  const { stdout } = await stage.ask(["--plain"], { stdin });
  expect(stdout).toContain("Never runs from now on: git tag *");
  expect(stdout).toMatch(/rule `git tag \*` \(approvals\.denied\) forbids it/);
  expect(stdout).not.toContain("allow this?");
  expect(stdout).toMatch(
    /1\. deny {3}git tag \*[\s\S]*No longer denied: git tag \*[\s\S]*No rules are kept\./,
  );
});
