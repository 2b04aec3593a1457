import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

const jsonl = (lines: readonly unknown[]): string =>
  `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;

function write(path: string, lines: readonly unknown[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, jsonl(lines));
}

interface Shown {
  readonly title: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

async function shown(stage: CommandStage, args: readonly string[]): Promise<Shown & { readonly id: string }> {
  const end = await stage.ask(["sessions", "import", "--json", ...args]);
  expect(end, end.stderr).toMatchObject({ code: 0 });
  const { session_id: id } = JSON.parse(end.stdout) as { session_id: string };
  return { id, ...(JSON.parse((await stage.ask(["sessions", "show", id, "--json"])).stdout) as Shown) };
}

const words = ({ messages }: Shown): readonly unknown[] =>
  messages.map(({ role, content }) => `${String(role)}: ${String(content)}`);

/** A session as Claude Code keeps it: with a side branch, a subagent, commands and calls beside each other. */
function claudeLines(cwd: string): readonly unknown[] {
  let nth = 0;
  const line = (parentUuid: string | null, uuid: string, more: object): object => {
    nth += 1;
    const timestamp = new Date(1_760_000_000_000 + nth * 1000).toISOString();
    return {
      parentUuid,
      uuid,
      isSidechain: false,
      userType: "external",
      cwd,
      sessionId: "claude-1",
      timestamp,
      ...more,
    };
  };
  const user = (content: unknown, more: object = {}): object => ({
    type: "user",
    message: { role: "user", content },
    ...more,
  });
  const assistant = (id: string, content: unknown): object => ({
    type: "assistant",
    message: { id, role: "assistant", model: "claude-x", content: [content], usage: { input_tokens: 1 } },
  });
  return [
    { type: "file-history-snapshot", messageId: "m0", snapshot: {} },
    line(null, "u0", user("<command-name>/clear</command-name>")),
    line("u0", "u1", user("Which files are here?")),
    line("u1", "x1", assistant("msg_x", { type: "text", text: "An answer that was taken back." })),
    line("u1", "a1", assistant("msg_1", { type: "thinking", thinking: "Two looks.", signature: "sig" })),
    line("a1", "a2", assistant("msg_1", { type: "text", text: "I look." })),
    line(
      "a2",
      "a3",
      assistant("msg_1", { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } }),
    ),
    line(
      "a3",
      "a4",
      assistant("msg_1", { type: "tool_use", id: "toolu_2", name: "Read", input: { file_path: "x" } }),
    ),
    line("a3", "r1", user([{ type: "tool_result", tool_use_id: "toolu_1", content: "a.txt" }])),
    line(
      "a4",
      "r2",
      user([
        {
          type: "tool_result",
          tool_use_id: "toolu_2",
          content: [{ type: "text", text: "no x" }],
          is_error: true,
        },
      ]),
    ),
    line("r2", "s1", user("Warm up", { isSidechain: true })),
    line("r2", "m1", user("A remark of the program", { isMeta: true })),
    line("m1", "a5", assistant("msg_2", { type: "text", text: "a.txt is here." })),
    line(
      "a5",
      "u2",
      user([
        { type: "text", text: "Thanks" },
        { type: "image", source: { type: "base64", data: "AA==" } },
      ]),
    ),
    { type: "summary", summary: "Files of the folder", leafUuid: "u2" },
  ];
}

/** A session as Codex keeps it. */
function codexLines(cwd: string, prompt = "What is in a.txt?"): readonly unknown[] {
  let nth = 0;
  const line = (type: string, payload: object): object => {
    nth += 1;
    return { timestamp: new Date(1_760_000_000_000 + nth * 1000).toISOString(), type, payload };
  };
  const message = (role: string, text: string): object => ({
    type: "message",
    role,
    content: [{ type: role === "user" ? "input_text" : "output_text", text }],
  });
  return [
    line("session_meta", { id: "codex-1", cwd, originator: "codex_cli", cli_version: "0.65.0" }),
    line("response_item", message("developer", "<permissions instructions>")),
    line("response_item", message("user", `<environment_context>${cwd}</environment_context>`)),
    line("turn_context", { cwd, model: "gpt-x", approval_policy: "never" }),
    line("response_item", message("user", prompt)),
    line("event_msg", { type: "user_message", message: prompt }),
    line("response_item", {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Read it." }],
      encrypted_content: "x",
    }),
    line("response_item", {
      type: "function_call",
      name: "shell",
      arguments: '{"command":["cat","a.txt"]}',
      call_id: "call_1",
    }),
    line("event_msg", { type: "token_count", info: null }),
    line("response_item", {
      type: "function_call_output",
      call_id: "call_1",
      output: '{"output":"nothing\\n","metadata":{"exit_code":1,"duration_seconds":0}}',
    }),
    line("response_item", message("assistant", "It is empty.")),
  ];
}

describe("agent sessions import, of other programs", () => {
  test("a session of Claude Code: its newest branch, with calls and results, without what the program said", async () => {
    await using stage = new CommandStage();
    const name = stage.workspace.replaceAll(/[^A-Za-z0-9]/g, "-");
    const folder = join(stage.folder, ".claude/projects", name);
    write(join(folder, "older.jsonl"), claudeLines(stage.workspace).slice(0, 3));
    write(join(folder, "newer.jsonl"), claudeLines(stage.workspace));
    write(join(folder, "agent-1.jsonl"), claudeLines(stage.workspace).slice(0, 3));
    utimesSync(join(folder, "older.jsonl"), 1, 1);
    const session = await shown(stage, ["--from", "claude-code", "--last"]);
    expect(session.title).toBe("Files of the folder");
    expect(words(session)).toEqual([
      "user: Which files are here?",
      "assistant: I look.",
      "tool: a.txt",
      "tool: no x",
      "assistant: a.txt is here.",
      "user: Thanks\n[An image was here. It is not in the imported file.]",
    ]);
    expect(session.messages[1]).toMatchObject({
      reasoning: "Two looks.",
      model: "claude-x",
      timestamp: 1_760_000_004,
    });
    expect(session.messages[3]).toMatchObject({ tool_name: "Read", label: "Read: x", outcome: "error" });
    const { stdout } = await stage.ask(["sessions", "export", session.id]);
    expect(stdout).toContain('"calls":[{"id":"toolu_1","name":"Bash","input":{"command":"ls"}}');
    expect(stdout).toContain('"origin":"claude-code","origin_id":"claude-1"');
    // It is known without a word, too.
    const again = await shown(stage, [join(folder, "newer.jsonl")]);
    expect(words(again)).toEqual(words(session));
  });

  test("a session of Codex: the newest about this folder", async () => {
    await using stage = new CommandStage();
    const day = join(stage.folder, ".codex/sessions/2025/10/09");
    write(join(day, "rollout-2025-10-09T08-00-00-a.jsonl"), codexLines(stage.workspace, "Older"));
    write(join(day, "rollout-2025-10-09T09-00-00-b.jsonl"), codexLines(stage.workspace));
    write(join(day, "rollout-2025-10-09T10-00-00-c.jsonl"), codexLines("/elsewhere", "Elsewhere"));
    const session = await shown(stage, ["--from", "codex", "--last"]);
    expect(words(session)).toEqual([
      "user: What is in a.txt?",
      "assistant: ",
      "tool: nothing\n",
      "assistant: It is empty.",
    ]);
    expect(session.messages[1]).toMatchObject({ reasoning: "Read it.", model: "gpt-x" });
    expect(session.messages[2]).toMatchObject({ tool_name: "shell", outcome: "error" });
    const older = codexLines(stage.workspace).filter((line) => !JSON.stringify(line).includes("event_msg"));
    write(join(stage.workspace, "old.jsonl"), older);
    expect(words(await shown(stage, ["old.jsonl"]))).toEqual(words(session));
  });

  test("--last says where it looked when there is none, and goes with --from alone", async () => {
    await using stage = new CommandStage();
    for (const program of ["claude-code", "codex"]) {
      const end = await stage.ask(["sessions", "import", "--from", program, "--last"]);
      expect(end).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`no session of ${program} about this folder`),
      });
    }
    expect(await stage.ask(["sessions", "import", "--last"])).toMatchObject({ code: 2 });
    write(join(stage.workspace, "bad.jsonl"), [
      ...codexLines("/x").slice(0, 5),
      { type: "response_item", timestamp: "soon", payload: {} },
    ]);
    expect(await stage.ask(["sessions", "import", "bad.jsonl"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/line 6: /),
    });
  });
});
