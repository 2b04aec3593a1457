import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ListSessionsRequest,
  methods,
  type NewSessionRequest,
  type SystemPrompt,
} from "@agentclientprotocol/sdk/unstable";
import { describe, expect, test } from "vitest";
import { isJsonObject } from "../../src/shared/json/json.ts";
import { CommandStage } from "../kit/command.ts";
import { random, times } from "../kit/counts.ts";
import { say, scriptedModel, scriptedModelWith } from "../kit/scripted-model.ts";
import { hostWith } from "../kit/test-host.ts";
import { AcpEditor, openEditor } from "./acp-stage.ts";
import { commandWire, hostWire } from "./wire.ts";

const { session: on } = methods.agent;

test("models are listed while a greeted editor asks for nothing yet: its first session does not wait for them", async () => {
  const models = scriptedModel();
  const listed = Promise.withResolvers<"listed">();
  const list: typeof models.list = (signal) => {
    listed.resolve("listed");
    return models.list(signal);
  };
  await using host = await hostWith({ ...models, list });
  await using editor = new AcpEditor(hostWire(host));
  await editor.initialize();
  expect(await listed.promise).toBe("listed");
});

test("what an editor announces last counts for its first session", async () => {
  await using host = await hostWith(scriptedModel([{ type: "waiting", text: "A moment." }, say("done")]));
  await using editor = new AcpEditor(hostWire(host));
  await editor.initialize();
  await editor.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { session: { notices: {} } },
  });
  const sessionId = await editor.open("/work");
  await editor.prompt(sessionId, "hi");
  expect(JSON.stringify(editor.of(sessionId, "notice"))).toContain("A moment.");
});

describe("sessions", () => {
  test("of another surface can be listed and loaded, and the other way round", async () => {
    await using stage = new CommandStage();
    await stage.ask(["run", "said in the terminal"]);
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.prompt(sessionId, "said in the editor");
    const { sessions } = await editor.agent.request(on.list, {});
    expect(sessions.map(({ title }) => title)).toEqual(["said in the editor", "said in the terminal"]);
    const foreign = sessions[1]?.sessionId ?? "";
    await editor.agent.request(on.load, { sessionId: foreign, cwd: stage.workspace, mcpServers: [] });
    expect(editor.of(foreign, "user_message_chunk")[0]).toMatchObject({
      content: { type: "text", text: "said in the terminal" },
    });
    expect(editor.said(foreign)).toContain("You said: said in the terminal");
    const shown = await stage.ask(["sessions", "show", sessionId]);
    expect(shown.stdout).toContain("said in the editor");
  });

  test("are listed in pages and by folder, and a cursor that no list gave is refused", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const other = await editor.open(stage.folder);
    await Promise.all([editor.prompt(sessionId, "here"), editor.prompt(other, "there")]);
    const { sessions } = await editor.agent.request(on.list, { cwd: stage.folder });
    expect(sessions.map((session) => [session.sessionId, session.cwd])).toEqual([[other, stage.folder]]);
    expect((await editor.agent.request(on.list, { cwd: "/nowhere" })).sessions).toEqual([]);
    await expect(editor.agent.request(on.list, { cursor: "x" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("cursor"),
    });
  });

  test("that are loaded replay everything before the answer; those that are resumed replay nothing", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "a.txt"), "text");
    const first = await openEditor(stage);
    await first.editor.prompt(first.sessionId, "read a.txt");
    await first.editor[Symbol.asyncDispose]();
    const { sessionId } = first;
    const { editor } = await openEditor(stage);
    await using _ = editor;
    const resumed = await editor.agent.request(on.resume, { sessionId, cwd: stage.workspace });
    expect(resumed.configOptions?.map(({ id }) => id)).toEqual(["mode", "model", "reasoning"]);
    expect(editor.said(sessionId)).toBe("");
    await editor.agent.request(on.load, { sessionId, cwd: stage.workspace, mcpServers: [] });
    const answer = editor.messages.findLastIndex(({ result }) => result !== undefined);
    const chunks = editor.messages.flatMap(({ params }, at) =>
      JSON.stringify(params ?? {}).includes("agent_message_chunk") ? [at] : [],
    );
    expect(chunks.length).toBeGreaterThan(0);
    expect(chunks.filter((at) => at > answer)).toEqual([]);
    expect(editor.of(sessionId, "tool_call")).toMatchObject([{ kind: "read", title: "Read a.txt" }]);
    expect(await editor.prompt(sessionId, "and again")).toMatchObject({ stopReason: "end_turn" });
  });

  test("that are loaded again at any moment keep their prompts, which are answered at their own ends", async () => {
    const next = random(13);
    const words = Array.from({ length: 20 }, () => say("word "));
    await using host = await hostWith(scriptedModelWith({ otherwise: () => words }));
    const editor = new AcpEditor(hostWire(host));
    await using _ = editor;
    await editor.initialize();
    for (let round = 0; round < times(300); round += 1) {
      const sessionId = await editor.open("/work");
      const prompts = ["one", "two"].map((text) => editor.prompt(sessionId, text));
      const loads = [1, 2].map(async () => {
        for (let turns = Math.floor(next() * 40); turns > 0; turns -= 1)
          await new Promise((resolve) => setImmediate(resolve));
        await editor.agent.request(on.load, { sessionId, cwd: "/work", mcpServers: [] });
      });
      for (const { stopReason } of await Promise.all(prompts)) expect(stopReason).toBe("end_turn");
      await Promise.all(loads);
      const before = editor.updates.length;
      await editor.prompt(sessionId, "the last");
      const later = editor.updates.slice(before).map(({ update }) => update.sessionUpdate);
      const chunks = new Set(later.filter((kind) => kind.endsWith("_chunk")));
      // Its own words it knows.
      expect(chunks).toEqual(new Set(["agent_message_chunk"]));
    }
    expect(host.reported).toEqual([]);
  });

  test("are forked with their conversation, also before anything was said", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const empty = await editor.agent.request(on.fork, { sessionId, cwd: stage.workspace });
    expect(empty.sessionId).not.toBe(sessionId);
    const running = editor.prompt(sessionId, "run sleep 300");
    await editor.until(() => editor.of(sessionId, "tool_call").length === 1);
    const early = await editor.agent.request(on.fork, { sessionId, cwd: stage.workspace });
    expect(await editor.prompt(early.sessionId, "meanwhile")).toMatchObject({ stopReason: "end_turn" });
    await editor.cancel(sessionId);
    expect(await running).toMatchObject({ stopReason: "cancelled" });
    await editor.prompt(sessionId, "remember this");
    const copy = await editor.agent.request(on.fork, { sessionId, cwd: stage.workspace });
    await editor.prompt(copy.sessionId, "only in the copy");
    expect(editor.said(sessionId)).not.toContain("only in the copy");
    await editor.agent.request(on.load, { sessionId: copy.sessionId, cwd: stage.workspace, mcpServers: [] });
    expect(JSON.stringify(editor.of(copy.sessionId, "user_message_chunk"))).toContain("remember this");
  });

  test("that a command makes are listed for the editor that it sends there", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.prompt(sessionId, "/new");
    const made = /Open session (\S+) from/.exec(editor.said(sessionId))?.[1];
    const { sessions } = await editor.agent.request(on.list, { cwd: stage.workspace });
    expect(sessions.map((each) => each.sessionId)).toContain(made);
  });

  test("are not copied whole when the place to which they are to be copied is none", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.prompt(sessionId, "one");
    const fork = (before: unknown): Promise<unknown> =>
      editor.agent.request(on.fork, { sessionId, cwd: stage.workspace, _meta: { rewind: { before } } });
    for (const before of [1.5, {}, null])
      await expect(fork(before)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("_meta.rewind.before") as string,
      });
  });

  test("can be archived, and are in no list until they are asked for or taken back", async () => {
    await using host = await hostWith(scriptedModel([say("ok")], [say("again")]));
    const editor = new AcpEditor(hostWire(host));
    await using _ = editor;
    await editor.initialize();
    const sessionId = await editor.open("/work");
    await editor.prompt(sessionId, "hi");
    const { agent } = editor;
    const listed = async (params: ListSessionsRequest = {}): Promise<readonly unknown[]> => {
      const { sessions } = await agent.request(on.list, params);
      return sessions.map(({ sessionId: id, archived }) => [id, archived]);
    };
    await agent.request(on.archive, { sessionId });
    await agent.request(on.archive, { sessionId });
    expect(await agent.request(on.status, { sessionId })).toEqual({ status: "saved" });
    expect(await listed()).toEqual([]);
    expect(await listed({ archived: "only" })).toEqual([[sessionId, true]]);
    expect(await listed({ archived: "include" })).toEqual([[sessionId, true]]);
    await expect(listed({ archived: "some" })).rejects.toMatchObject({ code: -32602 });
    await expect(agent.request(on.archive, { sessionId: "nope" })).rejects.toMatchObject({ code: -32002 });
    await agent.request(on.unarchive, { sessionId });
    expect(await listed()).toEqual([[sessionId, undefined]]);
    await agent.request(on.resume, { sessionId, cwd: "/work" });
    expect(await editor.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
  });

  test("tell the model what the client adds to its system prompt, until it adds something else", async () => {
    const model = scriptedModel([say("one")], [say("two")], [say("three")]);
    await using host = await hostWith(model, { systemPrompt: () => "Own." });
    const editor = new AcpEditor(hostWire(host));
    await using _ = editor;
    const { agentCapabilities } = await editor.initialize();
    expect(agentCapabilities?.sessionCapabilities?.systemPrompt).toEqual({});
    const setting: NewSessionRequest = { cwd: "/work", mcpServers: [] };
    const told = (text: string, mode: SystemPrompt["mode"] = "append"): SystemPrompt => ({
      mode,
      content: [{ type: "text", text }],
    });
    const { agent } = editor;
    const { sessionId } = await agent.request(on.new, { ...setting, systemPrompt: told("Be brief.") });
    await editor.prompt(sessionId, "hi");
    await agent.request(on.resume, { ...setting, sessionId });
    await editor.prompt(sessionId, "hi");
    await agent.request(on.load, { ...setting, sessionId, systemPrompt: told("Be long.") });
    await editor.prompt(sessionId, "hi");
    expect(model.requests.map(({ system }) => system)).toEqual([
      "Own.\n\nBe brief.",
      "Own.\n\nBe brief.",
      "Own.\n\nBe long.",
    ]);
    const override = agent.request(on.new, { ...setting, systemPrompt: told("x", "override") });
    await expect(override).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("append"),
    });
  });

  test("have a title and a status, are closed and deleted", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.prompt(sessionId, "hi");
    const { agent } = editor;
    expect(await agent.request(on.setTitle, { sessionId, title: "  A name " })).toEqual({ title: "A name" });
    await editor.until(() => editor.of(sessionId, "session_info_update").at(-1)?.title === "A name");
    await expect(agent.request(on.setTitle, { sessionId, title: " " })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await agent.request(on.status, { sessionId })).toEqual({ status: "open" });
    expect(await agent.request(on.close, { sessionId })).toEqual({});
    expect(await agent.request(on.status, { sessionId })).toEqual({ status: "saved" });
    await expect(editor.prompt(sessionId, "x")).rejects.toMatchObject({ code: -32002, data: { sessionId } });
    expect(await agent.request(on.delete, { sessionId })).toEqual({});
    expect(await agent.request(on.delete, { sessionId })).toEqual({});
    await expect(agent.request(on.status, { sessionId })).rejects.toMatchObject({ code: -32002 });
  });

  test.each([
    ["load", on.load, { cwd: "/", mcpServers: [] }],
    ["resume", on.resume, { cwd: "/" }],
    ["fork", on.fork, { cwd: "/" }],
    ["prompt", on.prompt, { prompt: [{ type: "text", text: "x" }] }],
    ["set_mode", on.setMode, { modeId: "ask" }],
    ["set_config_option", on.setConfigOption, { configId: "mode", value: "ask" }],
    ["status", on.status, {}],
    ["set_title", on.setTitle, { title: "x" }],
  ])("that are not there are -32002 with their id: %s", async (_name, method, params) => {
    await using stage = new CommandStage();
    const { editor } = await openEditor(stage);
    await using _ = editor;
    const request: Promise<unknown> = editor.agent.request(method as string, {
      sessionId: "none",
      ...params,
    });
    await expect(request).rejects.toMatchObject({ code: -32002, data: { sessionId: "none" } });
  });

  test("take the folders that the client names, and refuse those that are not absolute", async () => {
    await using stage = new CommandStage();
    const { editor } = await openEditor(stage);
    await using _ = editor;
    const { agent } = editor;
    const extra = join(stage.folder, "extra");
    const { sessionId } = await agent.request(on.new, {
      cwd: stage.workspace,
      additionalDirectories: [extra],
      mcpServers: [],
    });
    const { sessions } = await agent.request(on.list, {});
    expect(sessions.find((session) => session.sessionId === sessionId)).toMatchObject({
      cwd: stage.workspace,
      additionalDirectories: [extra],
    });
    await expect(agent.request(on.new, { cwd: "here", mcpServers: [] })).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params: cwd: "here" is no absolute path.',
    });
  });
});

describe("options", () => {
  test("can be chosen in each of the three ways, and all clients hear of it", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const { agent } = editor;
    expect(await agent.request(on.setMode, { sessionId, modeId: "all" })).toEqual({});
    await editor.until(() => editor.of(sessionId, "current_mode_update").at(-1)?.currentModeId === "all");
    const { configOptions } = await agent.request(on.setConfigOption, {
      sessionId,
      configId: "reasoning",
      value: "high",
    });
    expect(configOptions).toMatchObject([
      { id: "mode", currentValue: "all" },
      { id: "model", currentValue: "demo:demo" },
      { id: "reasoning", currentValue: "high" },
    ]);
    expect(await agent.request("session/set_model", { sessionId, modelId: "demo:demo" })).toEqual({});
    await expect(agent.request(on.setMode, { sessionId, modeId: "x" })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(
      agent.request(on.setConfigOption, { sessionId, configId: "nope", value: "x" }),
    ).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("mode, model, reasoning or persona"),
    });
  });

  test("models are in every answer that opens a session, also in the form of clients older than options", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const { agent } = editor;
    await editor.prompt(sessionId, "hi");
    const setting = { sessionId, cwd: stage.workspace, mcpServers: [] };
    await agent.request(on.load, setting);
    await agent.request(on.resume, setting);
    await agent.request(on.fork, setting);
    const opened = editor.messages.flatMap(({ result }) =>
      isJsonObject(result) && "configOptions" in result ? [result] : [],
    );
    expect(opened).toHaveLength(4);
    for (const { models } of opened)
      expect(models).toEqual({
        currentModelId: "demo:demo",
        availableModels: [{ modelId: "demo:demo", name: "demo" }],
      });
  });

  test("in the never-ask mode nothing is asked", async () => {
    await using stage = new CommandStage();
    stage.configure("approvals:\n  mode: manual\n");
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.agent.request(on.setMode, { sessionId, modeId: "all" });
    await editor.prompt(sessionId, "write a.txt: hello");
    expect(editor.permissions).toEqual([]);
  });
});

describe("login", () => {
  test("a client that logged out must authenticate before it goes on", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const { agent } = editor;
    expect(await agent.request(methods.agent.auth.status, {})).toEqual({ state: "not_required" });
    expect(await agent.request(methods.agent.logout, {})).toEqual({});
    expect(await agent.request(methods.agent.auth.status, {})).toEqual({ state: "unauthenticated" });
    await expect(editor.prompt(sessionId, "x")).rejects.toMatchObject({
      code: -32000,
      data: { authMethods: [{ id: "config" }] },
    });
    await expect(editor.open(stage.workspace)).rejects.toMatchObject({ code: -32000 });
    await expect(agent.request(methods.agent.authenticate, { methodId: "x" })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await agent.request(methods.agent.authenticate, { methodId: "config" })).toEqual({});
    expect(await editor.prompt(sessionId, "x")).toMatchObject({ stopReason: "end_turn" });
  });

  test("a client that has terminals for it is offered the setup, which refuses where there is none", async () => {
    await using stage = new CommandStage();
    const editor = new AcpEditor(commandWire(stage), { capabilities: { auth: { terminal: true } } });
    await using _ = editor;
    const { authMethods = [] } = await editor.initialize();
    expect(authMethods.at(-1)).toMatchObject({ type: "terminal", args: ["--setup"] });
    expect(await editor.agent.request(methods.agent.authenticate, { methodId: "setup" })).toEqual({});
    const { code, stdout, stderr } = await stage.ask(["acp", "--setup"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("--provider");
  });

  test("a client is told how to log in when there is no key", async () => {
    await using stage = new CommandStage();
    stage.configure("model:\n  provider: openai\n  default: gpt-4o\n");
    const { editor, sessionId } = await openEditor(stage, { capabilities: { auth: { terminal: true } } });
    await using _ = editor;
    const { agent } = editor;
    expect(await agent.request(methods.agent.auth.status, {})).toEqual({ state: "unauthenticated" });
    const refusal = {
      code: -32000,
      message: expect.stringContaining("OPENAI_API_KEY"),
      data: { authMethods: [{ id: "config" }, { type: "terminal", id: "setup" }] },
    };
    const login = agent.request(methods.agent.authenticate, { methodId: "config" });
    await expect(login).rejects.toMatchObject(refusal);
    await expect(editor.prompt(sessionId, "hi")).rejects.toMatchObject(refusal);
  });

  test("a wrong configuration is told at the first request that needs it", async () => {
    await using stage = new CommandStage();
    stage.configure("approvals:\n  mode: sometimes\n");
    await expect(openEditor(stage)).rejects.toMatchObject({
      message: expect.stringContaining("approvals.mode"),
    });
  });
});
