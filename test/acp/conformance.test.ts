import { join } from "node:path";
import {
  type InitializeResponse,
  methods,
  type SessionUpdate,
  type ContentBlock,
  type NewSessionRequest,
} from "@agentclientprotocol/sdk/unstable";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { AcpEditor, openEditor } from "./acp-stage.ts";
import { commandWire } from "./wire.ts";

const { session: on } = methods.agent;

/** A PNG of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

interface Stage {
  readonly editor: AcpEditor;
  readonly sessionId: string;
  readonly stage: CommandStage;
}

/** A check with the real command; the stage itself holds every message against the schema (SCHEMA-001), and knows each member at the root (SCHEMA-002). */
function against(check: (at: Stage) => Promise<void>): () => Promise<void> {
  return async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await check({ editor, sessionId, stage });
  };
}

const initialized = async (stage: CommandStage, protocolVersion: number): Promise<InitializeResponse> => {
  await using editor = new AcpEditor(commandWire(stage));
  return await editor.agent.request(methods.agent.initialize, { protocolVersion });
};

describe("the requirements of the conformance kit", () => {
  test(
    "TRANSPORT-001 TRANSPORT-002 JSONRPC-001: each line is one message, each answer has its request's id",
    against(async ({ editor, sessionId }) => {
      await editor.prompt(sessionId, "hi");
      const answers = editor.messages.filter(({ method }) => method === undefined);
      expect(answers.map(({ id }) => id)).toEqual([0, 1, 2]);
    }),
  );

  test(
    "JSONRPC-002 JSONRPC-003 ERROR: an answer has a result or an error, which is one line that says something",
    against(async ({ editor, sessionId }) => {
      await editor.agent.request(on.load, { sessionId: "nope", cwd: "/", mcpServers: [] }).catch(() => 0);
      await editor.agent.request(on.new, { cwd: "here", mcpServers: [] }).catch(() => 0);
      await editor.agent.request(on.setMode, { sessionId, modeId: "no\nsuch" }).catch(() => 0);
      const answers = editor.messages.filter(({ method }) => method === undefined);
      expect(answers.every(({ result, error }) => (result === undefined) !== (error === undefined))).toBe(
        true,
      );
      const errors = answers.flatMap(({ error }) => (error === undefined ? [] : [error]));
      expect(errors.map(({ code }) => code)).toEqual([-32002, -32602, -32602]);
      for (const { message } of errors) expect(message).toMatch(/^\S[^\n]+$/);
    }),
  );

  test(
    "JSONRPC-004 JSONRPC-005 EXT-001: notifications get no answer, unknown requests get -32601",
    against(async ({ editor }) => {
      await editor.agent.notify("_nobody/knows", { a: 1 });
      await editor.agent.notify("nope", {});
      await expect(editor.agent.request("_nobody/knows", {})).rejects.toMatchObject({ code: -32601 });
      expect(editor.messages.filter(({ id }) => id === null)).toEqual([]);
    }),
  );

  test("INIT-001 to INIT-004: the version is never echoed, and what is offered is true to the schema", async () => {
    await using stage = new CommandStage();
    for (const version of [1, 65_535, 0]) {
      const { protocolVersion, agentInfo, agentCapabilities } = await initialized(stage, version);
      expect(protocolVersion).toBe(1);
      expect(agentInfo).toMatchObject({
        name: "agent-host",
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      });
      expect(agentCapabilities).toMatchObject({ loadSession: true, promptCapabilities: { image: true } });
    }
  });

  test(
    "SESSION-001 SESSION-002: ids are not empty and never the same",
    against(async ({ editor, sessionId, stage }) => {
      const ids = [sessionId, await editor.open(stage.workspace), await editor.open(stage.workspace)];
      expect(new Set(ids.filter((id) => id !== "")).size).toBe(3);
    }),
  );

  test(
    "PROMPT-001 to PROMPT-003: text and links are taken, updates name the prompted session",
    against(async ({ editor, sessionId }) => {
      const other = editor.updates.length;
      const answer = await editor.agent.request(on.prompt, {
        sessionId,
        prompt: [
          { type: "text", text: "look at" },
          { type: "resource_link", uri: "https://example.com/x", name: "x" },
        ],
      });
      expect(answer.stopReason).toBe("end_turn");
      expect(editor.updates.slice(other).every((update) => update.sessionId === sessionId)).toBe(true);
    }),
  );

  test(
    "PROMPTCAP: what is offered is taken, what is not is refused by name",
    against(async ({ editor, sessionId }) => {
      const { agentCapabilities } = await editor.initialize();
      expect(agentCapabilities?.promptCapabilities).toEqual({
        image: true,
        audio: false,
        embeddedContext: true,
      });
      const prompt: ContentBlock[] = [
        { type: "text", text: "see" },
        { type: "image", data: PIXEL, mimeType: "image/png" },
        { type: "resource", resource: { uri: "file:///x.txt", text: "embedded" } },
      ];
      const taken = await editor.agent.request(on.prompt, { sessionId, prompt });
      expect(taken.stopReason).toBe("end_turn");
      const audio: ContentBlock = { type: "audio", data: PIXEL, mimeType: "audio/wav" };
      await expect(editor.agent.request(on.prompt, { sessionId, prompt: [audio] })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("audio"),
      });
    }),
  );

  test(
    "CANCEL-001 CANCEL-002: the prompt is answered as cancelled, and nothing comes after",
    against(async ({ editor, sessionId }) => {
      await editor.agent.request(on.setMode, { sessionId, modeId: "all" });
      const running = editor.prompt(sessionId, "run sleep 300");
      await editor.until(() => editor.of(sessionId, "tool_call").length === 1);
      await editor.cancel(sessionId);
      expect(await running).toMatchObject({ stopReason: "cancelled" });
      const at = editor.messages.length;
      await editor.agent.request(on.status, { sessionId });
      expect(editor.messages.slice(at).map(({ method }) => method)).toEqual([undefined]);
    }),
  );

  test(
    "CLIENTCAP-001 to CLIENTCAP-003: nothing is asked of a client that it does not offer",
    against(async ({ editor, sessionId }) => {
      await editor.prompt(sessionId, "write a.txt: x");
      await editor.prompt(sessionId, "run echo hi");
      await editor.prompt(sessionId, "ask me");
      const asked = editor.messages.flatMap(({ id, method = "" }) =>
        id === undefined || method === "" ? [] : [method],
      );
      expect(asked.filter((method) => /^(fs|terminal|elicitation)\//.test(method))).toEqual([]);
    }),
  );

  test(
    "LOAD-001 to LOAD-003: the replay comes before the answer, which is an object",
    against(async ({ editor, sessionId, stage }) => {
      await editor.prompt(sessionId, "hi");
      const before = editor.messages.length;
      const answer = await editor.agent.request(on.load, { sessionId, cwd: stage.workspace, mcpServers: [] });
      expect(answer).toMatchObject({ modes: { currentModeId: "edits" } });
      const later = editor.messages.slice(before);
      const at = later.findIndex(({ method }) => method === undefined);
      const kinds = later
        .slice(0, at)
        .map(({ params }) => (params as { update: SessionUpdate }).update.sessionUpdate);
      expect(kinds).toEqual(["user_message_chunk", "agent_message_chunk"]);
    }),
  );

  test(
    "RESUME-001 RESUME-002: nothing is replayed",
    against(async ({ editor, sessionId, stage }) => {
      await editor.prompt(sessionId, "hi");
      const before = editor.updates.length;
      await editor.agent.request(on.resume, { sessionId, cwd: stage.workspace });
      await editor.agent.request(on.list, {});
      const kinds = editor.updates.slice(before).map(({ update }) => update.sessionUpdate);
      expect(kinds.filter((kind) => kind.endsWith("_chunk") || kind.startsWith("tool_call"))).toEqual([]);
    }),
  );

  test(
    "LIST-001 LIST-002: a session of this client is listed, and the folder filters",
    against(async ({ editor, sessionId, stage }) => {
      const here = await editor.agent.request(on.list, { cwd: stage.workspace });
      expect(here.sessions.map((session) => session.sessionId)).toEqual([sessionId]);
      expect(await editor.agent.request(on.list, { cwd: `${stage.workspace}/` })).toEqual(here);
      expect((await editor.agent.request(on.list, { cwd: join(stage.folder, "none") })).sessions).toEqual([]);
    }),
  );

  test(
    "DELETE: a session is gone, and deleting it again is no error",
    against(async ({ editor, sessionId }) => {
      await editor.prompt(sessionId, "hi");
      for (let again = 0; again < 2; again += 1)
        expect(await editor.agent.request(on.delete, { sessionId })).toEqual({});
      expect((await editor.agent.request(on.list, {})).sessions).toEqual([]);
    }),
  );

  test(
    "ADDDIRS: more folders are taken, listed, and reach no further than they say",
    against(async ({ editor, stage }) => {
      const additionalDirectories = [join(stage.folder, "more")];
      const setting: NewSessionRequest = { cwd: stage.workspace, mcpServers: [], additionalDirectories };
      const { sessionId } = await editor.agent.request(on.new, setting);
      const { sessions } = await editor.agent.request(on.list, { cwd: stage.workspace });
      expect(sessions.find((session) => session.sessionId === sessionId)).toMatchObject({
        additionalDirectories,
      });
    }),
  );

  test(
    "CLOSE: a running prompt is shown to its end and answered as cancelled, and then the session is closed",
    against(async ({ editor, sessionId }) => {
      await editor.agent.request(on.setMode, { sessionId, modeId: "all" });
      const running = editor.prompt(sessionId, "run sleep 300");
      await editor.until(() => editor.of(sessionId, "tool_call").length === 1);
      const before = editor.messages.length;
      expect(await editor.agent.request(on.close, { sessionId })).toEqual({});
      expect(await running).toMatchObject({ stopReason: "cancelled" });
      const later = editor.messages.slice(before);
      expect(later[0]).toMatchObject({ params: { update: { status: "failed" } } });
      expect(later.slice(-2)).toMatchObject([{ result: { stopReason: "cancelled" } }, { result: {} }]);
    }),
  );

  test(
    "MODES-001 MODES-002 CONFIG-001 to CONFIG-003: modes and options are in step, none is a switch",
    against(async ({ editor, stage }) => {
      const { modes, configOptions = [] } = await editor.agent.request(on.new, {
        cwd: stage.workspace,
        mcpServers: [],
      });
      expect(modes).toMatchObject({
        currentModeId: "edits",
        availableModes: [{ id: "ask" }, { id: "edits" }, { id: "plan" }, { id: "all" }],
      });
      expect(configOptions?.map(({ type }) => type)).toEqual(["select", "select", "select"]);
      expect(configOptions?.[0]).toMatchObject({ category: "mode", currentValue: modes?.currentModeId });
    }),
  );

  test(
    "AUTH-001 to AUTH-005: methods have ids of their own, and a terminal is offered to nobody unasked",
    against(async ({ editor, stage }) => {
      const { authMethods = [] } = await editor.initialize();
      expect(authMethods.length).toBeGreaterThan(0);
      expect(authMethods.some((method) => "type" in method)).toBe(false);
      await editor.agent.request(methods.agent.authenticate, { methodId: authMethods[0]?.id ?? "" });
      expect(await editor.open(stage.workspace)).not.toBe("");
    }),
  );

  test(
    "META: what a client adds to its messages does no harm",
    against(async ({ editor, sessionId }) => {
      const answer = await editor.agent.request(on.prompt, {
        sessionId,
        prompt: [{ type: "text", text: "hi", _meta: { a: 1 } }],
        _meta: { traceparent: "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01" },
      });
      expect(answer.stopReason).toBe("end_turn");
    }),
  );

  test(
    "commands are told after the answer to session/new, and /model is one of them",
    against(async ({ editor, sessionId }) => {
      await editor.until(() => editor.of(sessionId, "available_commands_update").length === 1);
      const answer = editor.messages.findIndex(({ id, method }) => id === 1 && method === undefined);
      const commands = editor.messages.findIndex(({ params }) =>
        JSON.stringify(params ?? {}).includes("availableCommands"),
      );
      expect(commands).toBeGreaterThan(answer);
      const [update] = editor.of(sessionId, "available_commands_update");
      expect(update?.availableCommands.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["model", "help", "undo"]),
      );
    }),
  );
});
