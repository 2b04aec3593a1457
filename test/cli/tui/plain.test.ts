import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { LineTerminal } from "../../kit/line-terminal.ts";
import { startModelServer } from "../../kit/model-server/index.ts";

describe("the plain chat", () => {
  test("answers, runs tools, asks what is answered by name, and leaves", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "old.txt"), "x");
    using terminal = new LineTerminal(stage, ["--plain"]);
    await terminal.shows(/demo model answers[\s\S]*> /);
    terminal.type("run `rm old.txt`\r");
    await terminal.shows(/Question 1: allow this\?\s+rm old\.txt[\s\S]*\/allow 1 +Allow once[\s\S]*\/deny 1/);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(true);
    terminal.type("1\r");
    await terminal.shows(/answers nothing: question 1 is answered with \/allow 1/);
    terminal.type("/allow 9\r");
    await terminal.shows(/Question 9 is not open, nothing was answered\. Open: question 1\./);
    terminal.type("/allow 1 always\r");
    await terminal.shows(/no way to allow it/);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(true);
    terminal.type("/allow 1\r");
    await terminal.shows(/terminal[\s\S]*gave[\s\S]*> /);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(false);
    terminal.type("/title My chat\r");
    await terminal.shows(/Title: My chat/);
    terminal.type("/nope\r");
    await terminal.shows(/Unknown command: \/nope/);
    terminal.type("/quit\r");
    expect(await terminal.exit).toBe(0);
    expect(terminal.written, "lines are only ever added").not.toContain("\u001b");
    expect((await stage.ask(["sessions"])).stdout).toContain("My chat");
  });

  test("Ctrl+C interrupts the turn, twice leaves", async () => {
    await using stage = new CommandStage();
    using terminal = new LineTerminal(stage, ["--plain"]);
    await terminal.shows(/> /);
    terminal.type("ask me\r");
    await terminal.shows(/\/deny 1 /);
    terminal.type("\u0003");
    await terminal.shows(/\(interrupted · [\s\S]*> /);
    terminal.type("\u0003\u0003");
    expect(await terminal.exit).toBe(0);
  });

  test("reads its lines from a pipe, answers to questions among them", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "old.txt"), "x");
    const end = await stage.ask(["--plain"], { stdin: "run `rm old.txt`\n/allow 1\ncount to 3\n" });
    expect(end).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(false);
    expect(end.stdout).not.toContain("\u001b");
  });

  test("fails when its lines end before a question is answered", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "old.txt"), "x");
    const end = await stage.ask(["--plain"], { stdin: "run `rm old.txt`\n" });
    expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining("the turn is interrupted") });
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(true);
  });

  test("ends by itself when its reader has gone, and when the last turn failed says so in its exit code", async () => {
    await using stage = new CommandStage();
    const command = stage.start(["--plain"], { stdin: "count to 3\n".repeat(20) });
    await command.line((line) => line.includes("demo model"));
    command.child.stdout.destroy();
    expect(await command.end).toMatchObject({ code: 0 });
    await using server = await startModelServer();
    server.script({ status: 401, body: '{"error":{"message":"no such key"}}' });
    stage.configure(`model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n`);
    const failed = await stage.ask(["--plain"], { stdin: "hello\n" });
    expect(failed.stdout).toMatch(/! .*key/);
    expect(failed.code).toBe(1);
    const demo = await stage.run(["--plain", "--demo"], { stdin: "hello\n" });
    expect(demo).toMatchObject({ code: 0, stdout: expect.stringContaining("demo model") });
    for (const way of [["--plain"], ["run", "hello"]]) {
      const both = await stage.ask([...way, "--demo", "--model", "local:test-model"], { stdin: "hello\n" });
      expect(both).toMatchObject({ code: 2, stdout: "" });
      expect(both.stderr).toContain("Leave --demo out for local:test-model, or --model for the demo model.");
    }
  });

  test("goes on after kill -9, with the question that was open", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "old.txt"), "x");
    using first = new LineTerminal(stage, ["--plain"]);
    await first.shows(/> /);
    first.type("run `rm old.txt`\r");
    await first.shows(/Allow once/);
    first[Symbol.dispose]();
    await first.exit;
    const [session] = JSON.parse((await stage.ask(["sessions", "list", "--json"])).stdout) as {
      id: string;
      status: string;
    }[];
    expect(session?.status).toBe("waiting");
    using second = new LineTerminal(stage, ["--plain", "--session", session?.id ?? ""]);
    await second.shows(/allow this\?[\s\S]*\/allow 1/);
    second.type("/allow 1\r");
    await second.shows(/gave/);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(false);
  });
});
