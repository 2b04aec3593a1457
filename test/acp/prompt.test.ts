import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { AcpEditor, openEditor } from "./acp-stage.ts";
import { commandWire } from "./wire.ts";

const config = (baseUrl: string): string => `model:
  provider: local
  base_url: ${baseUrl}
  default: test-model
approvals:
  mode: manual
`;

describe("a prompt", () => {
  test("is answered when its turn is over, after all that the turn said", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const answer = await editor.prompt(sessionId, "hi");
    expect(answer).toMatchObject({ stopReason: "end_turn", usage: { inputTokens: expect.any(Number) } });
    expect(editor.said(sessionId)).toMatch(/^I am the built-in demo model/);
    const at = editor.messages.findIndex(({ result }) => result === answer || hasStop(result));
    expect(editor.messages.slice(at + 1).filter(({ method }) => method === "session/update")).toEqual([]);
  });

  test("shows an edit as a diff with the true old text, asks on the same call, and writes what was shown", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    const file = join(stage.workspace, "a.txt");
    writeFileSync(file, "one\ntwo\nthree\n");
    server.script(
      reply([callTool("edit_file", { path: "a.txt", old_text: "two", new_text: "2" })]),
      reply("done"),
    );
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.prompt(sessionId, "change it");
    const diff = { type: "diff", path: file, oldText: "one\ntwo\nthree\n", newText: "one\n2\nthree\n" };
    const [call] = editor.of(sessionId, "tool_call");
    expect(call).toMatchObject({
      kind: "edit",
      status: "pending",
      content: [diff],
      locations: [{ path: file }],
    });
    expect(editor.permissions[0]).toMatchObject({
      toolCall: {
        toolCallId: call?.toolCallId,
        content: [diff, { content: { text: "It changes a file.\nChanges a.txt" } }],
        locations: [{ path: file, line: 2 }],
      },
      options: [{ kind: "allow_once" }, { kind: "allow_always" }, { kind: "reject_once" }],
    });
    const states = editor.of(sessionId, "tool_call_update").map(({ status }) => status);
    expect(states).toEqual(["in_progress", "completed"]);
    expect(readFileSync(file, "utf8")).toBe("one\n2\nthree\n");
  });

  test("asks for a command as it is written, and says where it runs and what is doubtful about it", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage, { permit: () => "deny" });
    await using _ = editor;
    await editor.prompt(sessionId, "run rm *.c $(cat list)");
    const [words, why] = editor.permissions[0]?.toolCall.content ?? [];
    expect(words).toMatchObject({ content: { text: "```\nrm *.c $(cat list)\n```" } });
    const text = expect.stringMatching(
      new RegExp(`^It has a [^\n]*could not be judged\\.\nRuns in ${stage.workspace}\\.`),
    );
    expect(why).toMatchObject({ content: { text } });
  });

  test.each([
    ["the reject option", "deny"],
    ["an option that was never offered", "yes"],
  ])("does nothing when the permission is answered with %s", async (_name, optionId) => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([callTool("write_file", { path: "a.txt", content: "x" })]), reply("as you like"));
    const { editor, sessionId } = await openEditor(stage, { permit: () => optionId });
    await using _ = editor;
    expect(await editor.prompt(sessionId, "write")).toMatchObject({ stopReason: "end_turn" });
    expect(existsSync(join(stage.workspace, "a.txt"))).toBe(false);
    expect(editor.of(sessionId, "tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  });

  test("that comes while another one runs waits, and each is answered at its own end", async () => {
    const hold = gate();
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([say("first "), waitAt(hold), say("answer")]), reply("second answer"));
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const ends: string[] = [];
    const first = editor.prompt(sessionId, "one").then(() => ends.push(`first: ${editor.said(sessionId)}`));
    await hold.reached;
    const second = editor.prompt(sessionId, "two").then(() => ends.push("second"));
    hold.open();
    await Promise.all([first, second]);
    expect(ends).toEqual(["first: first answer", "second"]);
    expect(editor.said(sessionId)).toBe("first answersecond answer");
  });

  test("whose model fails is answered with an error that says so, and the next one works", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(
      { status: 401, headers: { "x-request-id": "req-7" }, body: '{"error":{"message":"no such key"}}' },
      reply("ok"),
    );
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await expect(editor.prompt(sessionId, "hi")).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining("no such key"),
      data: { code: "provider_auth", status: 401, requestId: "req-7", authMethods: [{ id: "config" }] },
    });
    expect(await editor.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
  });

  test("gives images, embedded files and linked files inside the workspace to the model", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply("seen"));
    writeFileSync(join(stage.workspace, "in.txt"), "inside the workspace");
    writeFileSync(join(stage.folder, "out.txt"), "a secret outside");
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "look" },
        { type: "image", data: png, mimeType: "image/png" },
        { type: "resource", resource: { uri: "file:///x/b.txt", text: "an embedded text" } },
        {
          type: "resource",
          resource: { uri: "file:///x/c.pdf", mimeType: "application/pdf", blob: "JVBERi3//w==" },
        },
        { type: "resource_link", uri: `file://${stage.workspace}/in.txt`, name: "in.txt" },
        { type: "resource_link", uri: `file://${stage.folder}/out.txt`, name: "out.txt" },
      ],
    });
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain("inside the workspace");
    expect(sent).toContain("an embedded text");
    expect(sent).toContain(
      "file:///x/c.pdf was attached. It is a binary resource (application/pdf, 7 bytes)",
    );
    expect(sent).not.toContain("a secret outside");
    expect(sent).toContain("out.txt");
  });

  test.each([
    ["hello", [], "The prompt is empty"],
    ["sound", [{ type: "audio" as const, data: "AAAA", mimeType: "audio/wav" }], "prompt.0: audio"],
    ["a film", [{ type: "image" as const, data: "AAAA", mimeType: "video/mp4" }], "video/mp4"],
  ])("of nothing that can be taken is refused in words: %s", async (_name, prompt, words) => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await expect(
      editor.agent.request(methods.agent.session.prompt, { sessionId, prompt }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(words) });
  });

  test("that is a command runs it, and unknown ones say what there is", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.prompt(sessionId, "/model demo:demo");
    expect(editor.said(sessionId)).toContain("Model: demo:demo");
    expect(await editor.prompt(sessionId, "/nope")).toEqual({ stopReason: "end_turn" });
    expect(editor.said(sessionId)).toContain("Unknown command: /nope");
    // An error would say that the session of the prompt is lost.
    expect(await editor.prompt(sessionId, "/resume zz")).toEqual({ stopReason: "end_turn" });
    expect(editor.said(sessionId)).toContain("Session not found: zz");
  });

  test("makes a plan of a todo list, with nothing left busy at the end", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.prompt(sessionId, "todo: look, write");
    const plans = editor.of(sessionId, "plan").map(({ entries }) => entries.map(({ status }) => status));
    expect(plans).toEqual([
      ["in_progress", "pending"],
      ["pending", "pending"],
    ]);
  });
});

const hasStop = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "stopReason" in result;

describe("steering", () => {
  test("reaches the turn that runs, or begins one, or is refused when that is wanted", async () => {
    const hold = gate();
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(
      reply([waitAt(hold), callTool("todo", { todos: [] })]),
      reply("noted"),
      reply("begun by itself"),
    );
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const attached = { uri: "zed:///agent/rule", mimeType: "text/plain", text: "say it in French" };
    const steer = (more: object = {}): Promise<unknown> =>
      editor.agent.request("_session/steering", {
        sessionId,
        prompt: [
          { type: "text", text: "be brief" },
          { type: "resource", resource: attached },
        ],
        ...more,
      });
    const running = editor.prompt(sessionId, "go");
    await hold.reached;
    expect(await steer()).toEqual({ outcome: "injected" });
    hold.open();
    await running;
    expect(JSON.stringify(server.requests[1]?.body)).toMatch(/be brief.*say it in French/);
    expect(await steer({ _meta: { steering: { idleBehavior: "promptRequired" } } })).toEqual({
      outcome: "promptRequired",
      reason: "noRunningTurn",
    });
    expect(await steer()).toEqual({ outcome: "startedNewTurn" });
    await editor.until(() => editor.said(sessionId).includes("begun by itself"));
  });
});

test("ten sessions at once in one process stay apart", async () => {
  await using stage = new CommandStage();
  await using editor = new AcpEditor(commandWire(stage));
  await editor.initialize();
  const ids = await Promise.all(Array.from({ length: 10 }, () => editor.open(stage.workspace)));
  expect(new Set(ids).size).toBe(10);
  await Promise.all(ids.map((id, index) => editor.prompt(id, `echo number ${index}`)));
  for (const [index, id] of ids.entries()) expect(editor.said(id)).toContain(`number ${index}\n`);
});
