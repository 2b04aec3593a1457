import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ClientApp,
  type CreateElicitationRequest,
  type CreateTerminalResponse,
  methods,
} from "@agentclientprotocol/sdk/unstable";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, reply, startModelServer } from "../kit/model-server/index.ts";
import { times } from "../kit/counts.ts";
import { PeakMemory } from "../kit/peak-memory.ts";
import { AcpEditor, openEditor } from "./acp-stage.ts";
import { testTerminals } from "./test-terminals.ts";
import { commandWire } from "./wire.ts";

const config = (baseUrl: string): string => `model:
  provider: local
  base_url: ${baseUrl}
  default: test-model
approvals:
  mode: "off"
`;

const on = methods.client;

/** An editor with files of its own; what it saves reaches the disk unless it is told otherwise. */
function editorFiles(texts: Readonly<Record<string, string>> = {}, { saves = true } = {}) {
  const written: string[] = [];
  const extend = (app: ClientApp): ClientApp =>
    app
      .onRequest(on.fs.readTextFile, ({ params }) => ({ content: texts[params.path] ?? "" }))
      .onRequest(on.fs.writeTextFile, ({ params }) => {
        written.push(params.path);
        if (saves) writeFileSync(params.path, params.content);
        return {};
      });
  return { extend, written };
}

const FILES = { fs: { readTextFile: true, writeTextFile: true } };

describe("files of the editor", () => {
  test("are what the model reads and edits, unsaved changes included", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    const file = join(stage.workspace, "a.txt");
    writeFileSync(file, "on the disk\n");
    server.script(
      reply([callTool("read_file", { path: "a.txt" })]),
      reply([callTool("edit_file", { path: "a.txt", old_text: "unsaved", new_text: "changed" })]),
      reply("done"),
    );
    const files = editorFiles({ [file]: "unsaved words\n" });
    const { editor, sessionId } = await openEditor(stage, { capabilities: FILES, extend: files.extend });
    await using _ = editor;
    await editor.prompt(sessionId, "change it");
    expect(JSON.stringify(server.requests[1]?.body)).toContain("unsaved words");
    expect(files.written).toEqual([file]);
    expect(readFileSync(file, "utf8")).toBe("changed words\n");
    expect(editor.of(sessionId, "tool_call_update").at(-1)?.content).toContainEqual({
      type: "diff",
      path: file,
      oldText: "unsaved words\n",
      newText: "changed words\n",
    });
  });

  test("are written on the disk when the editor says that it saved and did not", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([callTool("write_file", { path: "a.txt", content: "new" })]), reply("done"));
    const files = editorFiles({}, { saves: false });
    const { editor, sessionId } = await openEditor(stage, { capabilities: FILES, extend: files.extend });
    await using _ = editor;
    await editor.prompt(sessionId, "write");
    expect(files.written).toHaveLength(1);
    expect(readFileSync(join(stage.workspace, "a.txt"), "utf8")).toBe("new");
  });

  test("are left alone by a client that does not offer them, and nothing outside the workspace is touched", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(
      reply([
        callTool("write_file", { path: "a.txt", content: "new" }),
        callTool("write_file", { path: "../out.txt", content: "no" }),
      ]),
      reply("done"),
    );
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.prompt(sessionId, "write");
    const requests = editor.messages.flatMap(({ method, id }) => (id === undefined ? [] : [method]));
    expect(requests.filter((method) => method?.startsWith("fs/"))).toEqual([]);
    expect(existsSync(join(stage.folder, "out.txt"))).toBe(false);
  });
});

describe("a command", () => {
  test("runs in a terminal of the client's, which is shown, read and released", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([callTool("terminal", { command: "echo from $PWD; exit 3" })]), reply("done"));
    const terminals = testTerminals();
    const { editor, sessionId } = await openEditor(stage, {
      capabilities: { terminal: true },
      extend: terminals.extend,
    });
    await using _ = editor;
    await editor.prompt(sessionId, "run");
    expect(JSON.stringify(server.requests[1]?.body)).toContain(`from ${stage.workspace}\\n[exit code 3]`);
    const updates = editor.of(sessionId, "tool_call_update");
    expect(updates[0]).toMatchObject({ content: [{ type: "terminal", terminalId: "t1" }] });
    expect(updates.at(-1)).toMatchObject({ status: "failed", content: [{ type: "terminal" }] });
    expect(terminals.log).toEqual(["create t1", "output t1", "release t1"]);
  });

  test.each([
    ["cannot be made", () => Promise.reject(new Error("no terminals today"))],
    // As a client would that answers whatever it likes.
    ["has no id", () => ({}) as CreateTerminalResponse],
  ])("is run by the agent when the client's terminal %s", async (_name, create) => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([callTool("terminal", { command: "echo by the agent" })]), reply("done"));
    const { editor, sessionId } = await openEditor(stage, {
      capabilities: { terminal: true },
      extend: (app) => app.onRequest(on.terminal.create, create),
    });
    await using _ = editor;
    await editor.prompt(sessionId, "run");
    expect(JSON.stringify(server.requests[1]?.body)).toContain("by the agent");
  });

  test("that is cancelled is killed at the client too", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([callTool("terminal", { command: "sleep 300" })]));
    const terminals = testTerminals();
    const { editor, sessionId } = await openEditor(stage, {
      capabilities: { terminal: true },
      extend: terminals.extend,
    });
    await using _ = editor;
    const running = editor.prompt(sessionId, "run");
    await editor.until(() => terminals.log.includes("create t1"));
    await editor.until(() => editor.of(sessionId, "tool_call_update").length > 0);
    await editor.cancel(sessionId);
    expect(await running).toMatchObject({ stopReason: "cancelled" });
    await editor.until(() => terminals.log.includes("release t1"));
    expect(terminals.log).toContain("kill t1");
  });

  test("that was asked for has its display back when it runs", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage, {
      capabilities: { _meta: { terminal_output: true } },
    });
    await using _ = editor;
    await editor.prompt(sessionId, "run rm a.txt");
    const [asked] = editor.permissions;
    const content = [{ type: "terminal", terminalId: asked?.toolCall.toolCallId }];
    expect(asked?.toolCall.content).not.toEqual(content);
    const [runs] = editor.of(sessionId, "tool_call_update");
    expect(runs).toMatchObject({ status: "in_progress", content });
  });

  test("is fed piece by piece to a client that displays output, with its exit code at the end", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([callTool("terminal", { command: "echo one; echo two" })]), reply("done"));
    const { editor, sessionId } = await openEditor(stage, {
      capabilities: { terminal: true, _meta: { terminal_output: true } },
    });
    await using _ = editor;
    await editor.prompt(sessionId, "run");
    const [call] = editor.of(sessionId, "tool_call");
    const terminal_id = call?.toolCallId;
    expect(call).toMatchObject({
      content: [{ type: "terminal", terminalId: terminal_id }],
      _meta: { terminal_info: { terminal_id } },
    });
    const metas = editor.of(sessionId, "tool_call_update").map(({ _meta: meta }) => meta ?? {});
    const shown = metas.map((meta) => (meta["terminal_output"] as { data: string } | undefined)?.data ?? "");
    expect(shown.join("").trim()).toBe("one\ntwo");
    expect(metas.at(-1)).toEqual({ terminal_exit: { terminal_id, exit_code: 0 } });
  });

  test("that prints without end gives the client its beginning, signs of life and its end, and costs little memory", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    const bytes = times(200_000_000);
    const command = `echo BEGIN; head -c ${bytes} /dev/zero | tr '\\0' x; echo; echo END`;
    server.script(reply([callTool("terminal", { command: "echo warm" })]), reply("ready"));
    server.script(reply([callTool("terminal", { command })]), reply("done"));
    const wire = commandWire(stage);
    const editor = new AcpEditor(wire, { capabilities: { _meta: { terminal_output: true } } });
    await using _ = editor;
    await editor.initialize();
    const sessionId = await editor.open(stage.workspace);
    await editor.prompt(sessionId, "load what is needed");
    const { pid } = wire.command.child;
    const memory = process.platform === "linux" && pid !== undefined ? new PeakMemory(pid) : undefined;
    await editor.prompt(sessionId, "run");
    if (memory !== undefined) expect(memory.growth).toBeLessThan(30);
    const all = JSON.stringify(editor.of(sessionId, "tool_call_update"));
    expect(all.length).toBeLessThan(2_000_000);
    for (const words of ["BEGIN", "END"]) expect(all.includes(words)).toBe(true);
  });
});

describe("a question of the model's", () => {
  const answered = (content: Readonly<Record<string, string>>) => {
    const asked: CreateElicitationRequest[] = [];
    const extend = (app: ClientApp): ClientApp =>
      app.onRequest(on.elicitation.create, ({ params }) => {
        asked.push(params);
        return { action: "accept", content: { ...content } };
      });
    return { asked, extend };
  };

  test.each([
    ["a choice", { choice: "green" }, "green"],
    ["words of one's own", { choice: "green", answer: "mauve" }, "mauve"],
  ])("is a form that is answered with %s", async (_name, content, said) => {
    await using stage = new CommandStage();
    const { asked, extend } = answered(content);
    const capabilities = { elicitation: { form: {} } };
    const { editor, sessionId } = await openEditor(stage, { capabilities, extend });
    await using _ = editor;
    await editor.prompt(sessionId, "ask me");
    expect(asked).toMatchObject([{ mode: "form", message: "Which colour do you like best?", sessionId }]);
    expect(editor.said(sessionId)).toContain(`You answered: ${said}`);
  });

  test("is not asked of a client without forms; the model is told to ask in its words", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.prompt(sessionId, "ask me");
    expect(editor.said(sessionId)).toContain("this client cannot show questions");
    expect(editor.messages.some(({ method }) => method === "elicitation/create")).toBe(false);
  });
});
