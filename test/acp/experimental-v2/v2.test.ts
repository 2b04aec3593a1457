import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { describe, expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { CommandStage } from "../../kit/command.ts";
import { callTool as serverCall, reply, startModelServer } from "../../kit/model-server/index.ts";
import { callTool, fail, gate, say, scriptedModel, used, wait } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../../kit/test-host.ts";
import { commandWire, hostWire } from "../wire.ts";
import { openV2, V2Editor } from "./v2-stage.ts";

const { session: on } = methods.agent;

describe("a client of version 2", () => {
  test("is answered in it, and told only what works", async () => {
    await using host = await hostWith(scriptedModel());
    await using editor = new V2Editor(hostWire(host));
    const { protocolVersion, info, capabilities, authMethods } = await editor.initialize();
    expect(protocolVersion).toBe(2);
    expect(info.name).toBe("agent-host");
    expect(capabilities?.session).toMatchObject({ prompt: { image: {} }, delete: {}, fork: {}, title: {} });
    expect(capabilities?.session?.prompt).not.toHaveProperty("audio");
    expect(authMethods).toMatchObject([{ type: "agent", methodId: "config" }]);
  });

  test("learns by the answer that its prompt is in the conversation, and by the state that its turn is over", async () => {
    const hold = gate();
    await using host = await hostWith(scriptedModel([say("one "), wait(hold), say("two"), used(10, 5)]));
    const { editor, sessionId } = await openV2(hostWire(host));
    await using _ = editor;
    const messageId = await editor.prompt(sessionId, "hi");
    expect(editor.of(sessionId, "user_message")).toEqual([
      { sessionUpdate: "user_message", messageId, content: [{ type: "text", text: "hi" }] },
    ]);
    expect(editor.states(sessionId)).toEqual(["running"]);
    hold.open();
    await editor.until(() => editor.states(sessionId).includes("idle"));
    expect(editor.of(sessionId, "state_update").at(-1)).toMatchObject({
      state: "idle",
      stopReason: "end_turn",
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(editor.said(sessionId)).toBe("one two");
  });

  test("is told of a failed turn by its state, with the class of the failure", async () => {
    const failure = new HostError("provider_bad_request", "It said no.", { details: { status: 400 } });
    await using host = await hostWith(scriptedModel([fail(failure)]));
    const { editor, sessionId } = await openV2(hostWire(host));
    await using _ = editor;
    expect(await editor.run(sessionId, "hi")).toBe("error");
    expect(editor.of(sessionId, "state_update").at(-1)).toMatchObject({
      error: { message: expect.stringContaining("It said no."), data: { code: "provider_bad_request" } },
    });
  });

  test("sees that a session waits for it, and goes on when it has answered", async () => {
    const model = scriptedModel([callTool("change")], [say("done")]);
    const toolsets = toolsOf(testTool("change", { effect: "once" }));
    await using host = await hostWith(model, { toolsets });
    const { editor, sessionId } = await openV2(hostWire(host));
    await using _ = editor;
    await editor.run(sessionId, "change it");
    expect(editor.states(sessionId)).toEqual(["running", "requires_action", "running", "idle"]);
    expect(editor.permissions).toMatchObject([
      {
        title: "change",
        subject: { type: "command", cwd: "/work" },
        options: [{ kind: "allow_once" }, {}, {}],
      },
    ]);
    expect(editor.of(sessionId, "tool_call_update").map(({ status }) => status)).toEqual([
      "pending",
      "in_progress",
      "completed",
    ]);
  });

  test("can cancel before and after its prompt is taken, and a stubborn tool does not keep it waiting", async () => {
    const hold = gate();
    const model = scriptedModel([callTool("hang")], [say("never")], [say("fresh")]);
    const hang = testTool("hang", { run: () => (hold.arrive(), new Promise<never>(() => undefined)) });
    await using host = await hostWith(model, { toolsets: toolsOf(hang) });
    const { editor, sessionId } = await openV2(hostWire(host));
    await using _ = editor;
    await editor.prompt(sessionId, "hang");
    await hold.reached;
    const queued = editor.prompt(sessionId, "queued");
    await editor.cancel(sessionId);
    await expect(queued).rejects.toMatchObject({ code: -32800 });
    await editor.until(() => editor.states(sessionId).at(-1) === "idle");
    expect(editor.of(sessionId, "state_update").at(-1)).toMatchObject({ stopReason: "cancelled" });
    expect(editor.of(sessionId, "tool_call_update").at(-1)).toMatchObject({ status: "cancelled" });
  });

  test("is asked the model's questions as forms", async () => {
    const answers: string[] = [];
    const ask = testTool("ask", {
      run: async (_input, context) => {
        const answer = await context.ask({ kind: "clarify", question: "Which?", choices: ["a", "b"] });
        if (answer.outcome === "answered") answers.push(answer.text);
        return "asked";
      },
    });
    const model = scriptedModel([callTool("ask")], [say("done")]);
    await using host = await hostWith(model, { toolsets: toolsOf(ask) });
    const { editor, sessionId } = await openV2(hostWire(host), {
      capabilities: { elicitation: { form: {} } },
      extend: (app) =>
        app.onRequest(methods.client.elicitation.create, ({ params }) => {
          expect(params).toMatchObject({ mode: "form", message: "Which?", sessionId });
          return { action: "accept", content: { choice: "b" } };
        }),
    });
    await using _ = editor;
    await editor.run(sessionId, "ask me");
    expect(answers).toEqual(["b"]);
    expect(editor.states(sessionId)).toEqual(["running", "requires_action", "running", "idle"]);
  });

  test("runs commands like prompts, with an echo, a state and an end", async () => {
    await using host = await hostWith(scriptedModel());
    const { editor, sessionId } = await openV2(hostWire(host));
    await using _ = editor;
    const before = editor.messages.length;
    expect(await editor.run(sessionId, "/status")).toBe("end_turn");
    expect(editor.of(sessionId, "user_message")).toHaveLength(1);
    const later = editor.messages
      .slice(before)
      .map(({ method, params }) => (method ? JSON.stringify(params) : "answer"));
    expect(later.indexOf("answer")).toBeLessThan(later.findIndex((text) => text.includes('"idle"')));
    expect(editor.said(sessionId)).toContain(sessionId);
  });

  test("resumes with or without a replay, which ends in how the session stands and shows what was shown", async () => {
    const model = scriptedModel([callTool("look"), used(1, 1)], [say("seen")], [say("again")]);
    await using host = await hostWith(model, { toolsets: toolsOf(testTool("look")) });
    const { editor, sessionId } = await openV2(hostWire(host));
    await using _ = editor;
    await editor.run(sessionId, "first");
    /** The updates of the conversation, and each answer and state between them. */
    const came = (from: number): readonly string[] =>
      editor.messages.slice(from).flatMap(({ method, params }) => {
        if (method === undefined) return ["answer"];
        const text = JSON.stringify(params);
        if (text.includes('"state_update"')) return ["state"];
        return /"sessionUpdate":"(.*message|tool_call|.*thought)/.test(text) ? [text] : [];
      });
    const live = came(0).filter((line) => line !== "answer" && line !== "state");
    const from = editor.messages.length;
    await editor.agent.request(on.resume, { sessionId, cwd: "/work", replayFrom: { type: "start" } });
    expect(came(from)).toEqual([...live, "state", "answer"]);
    const quiet = editor.messages.length;
    await editor.agent.request(on.resume, { sessionId, cwd: "/work" });
    expect(came(quiet)).toEqual(["state", "answer"]);
    expect(await editor.run(sessionId, "second")).toBe("end_turn");
  });

  test("lists, names, forks, chooses, closes and deletes sessions", async () => {
    await using host = await hostWith(scriptedModel([say("one")]));
    const { editor, sessionId } = await openV2(hostWire(host));
    await using _ = editor;
    const { agent } = editor;
    await editor.run(sessionId, "hi");
    await agent.request(on.setTitle, { sessionId, title: "Named" });
    const { sessionId: copy } = await agent.request(on.fork, { sessionId, cwd: "/work" });
    const { sessions } = await agent.request(on.list, {});
    expect(sessions.map(({ sessionId: id }) => id).toSorted()).toEqual([copy, sessionId].toSorted());
    const { configOptions } = await agent.request(on.setConfigOption, {
      sessionId,
      configId: "mode",
      type: "id",
      value: "all",
    });
    expect(configOptions).toContainEqual(expect.objectContaining({ configId: "mode", currentValue: "all" }));
    await agent.request(on.close, { sessionId: copy });
    expect(await agent.request(on.status, { sessionId: copy })).toEqual({ status: "saved" });
    expect(await agent.request(on.status, { sessionId })).toEqual({
      status: "open",
      state: { state: "idle" },
    });
    await agent.request(on.archive, { sessionId: copy });
    const archived = await agent.request(on.list, { archived: "only" });
    expect(archived.sessions).toMatchObject([{ sessionId: copy, archived: true }]);
    await agent.request(on.unarchive, { sessionId: copy });
    await agent.request(on.delete, { sessionId });
    await expect(
      agent.request(on.prompt, { sessionId, prompt: [{ type: "text", text: "hi" }] }),
    ).rejects.toMatchObject({ code: -32002 });
  });

  test.each([
    ["a block that is not known", { prompt: [{ type: "_song", notes: [] }] }],
    ["audio, which is not offered", { prompt: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] }],
  ])("is told in one line what is wrong with %s", async (_name, { prompt }) => {
    await using host = await hostWith(scriptedModel());
    const { editor, sessionId } = await openV2(hostWire(host));
    await using _ = editor;
    // Types of the client's own know no such blocks.
    const request = editor.agent.request(on.prompt, { sessionId, prompt } as never);
    await expect(request).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("prompt.0"),
    });
  });

  test("gets an edit as a patch, and a command's output as bytes of a terminal of its own", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(
      `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: m\napprovals:\n  mode: manual\n`,
    );
    const file = join(stage.workspace, "a.txt");
    writeFileSync(file, "one\ntwo\nthree\n");
    server.script(
      reply([serverCall("edit_file", { path: "a.txt", old_text: "two", new_text: "2" })]),
      reply([serverCall("terminal", { command: "printf 'ä\\n'; exit 3" })]),
      reply("done"),
    );
    const { editor, sessionId } = await openV2(commandWire(stage), { cwd: stage.workspace });
    await using _ = editor;
    expect(await editor.run(sessionId, "change it")).toBe("end_turn");
    expect(readFileSync(file, "utf8")).toBe("one\n2\nthree\n");
    const [call] = editor.of(sessionId, "tool_call_update");
    expect(call?.content).toEqual([
      {
        type: "diff",
        changes: [{ operation: "modify", path: file, fileType: "text" }],
        patch: { format: "git_patch", text: expect.stringContaining("\n-two\n+2\n") },
      },
    ]);
    expect(editor.permissions[0]).toMatchObject({
      subject: { type: "tool_call", toolCall: { toolCallId: call?.toolCallId, content: call?.content } },
    });
    const output = editor.of(sessionId, "terminal_output_chunk");
    expect(output.map(({ data }) => Buffer.from(data, "base64").toString()).join("")).toContain("ä");
    expect(editor.of(sessionId, "terminal_update").at(-1)).toMatchObject({ exitStatus: { exitCode: 3 } });
  });
});

describe("the version of the protocol", () => {
  const versionFor = async (params: object): Promise<unknown> => {
    await using host = await hostWith(scriptedModel());
    const wire = hostWire(host);
    const answer = Promise.withResolvers<string>();
    wire.listen(answer.resolve);
    wire.send('{"jsonrpc":"2.0","id":7,"method":"session/list","params":{}}\n');
    const early = JSON.parse(await answer.promise) as { id: number; error: { code: number } };
    expect(early).toMatchObject({ id: 7, error: { code: -32600 } });
    const greeting = Promise.withResolvers<string>();
    wire.listen(greeting.resolve);
    wire.send(`${JSON.stringify({ jsonrpc: "2.0", id: 8, method: "initialize", params })}\n`);
    const { result } = JSON.parse(await greeting.promise) as { result?: { protocolVersion: number } };
    wire.end();
    await wire.over;
    return result?.protocolVersion;
  };
  const info = { name: "x", version: "1" };

  test.each([
    ["1 for who asks for it", { protocolVersion: 1 }, 1],
    ["2 for who asks for it", { protocolVersion: 2, info }, 2],
    ["2 for who asks for a later one and writes like it", { protocolVersion: 65_535, info }, 2],
    ["1 for who asks for a later one and writes like 1", { protocolVersion: 65_535, clientInfo: info }, 1],
    ["none for who says nothing usable", { protocolVersion: "2" }, undefined],
  ])("is %s", async (_name, params, version) => {
    expect(await versionFor(params)).toBe(version);
  });
});
