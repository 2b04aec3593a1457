import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { random, times } from "../kit/counts.ts";
import { callTool, gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { untilTrue } from "../kit/test-host.ts";
import { AcpEditor, CANCELLED, openEditor } from "./acp-stage.ts";
import { aMoment, slowHost } from "./slow-host.ts";
import { soonEnough } from "./soon-enough.ts";
import { hostWire } from "./wire.ts";

const config = (baseUrl: string): string => `model:
  provider: local
  base_url: ${baseUrl}
  default: test-model
approvals:
  mode: manual
`;

const NEVER = new Promise<never>(() => undefined);

/** Processes that work in a folder. */
const processesIn = (folder: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      // Gone meanwhile, or not ours.
      return false;
    }
  });

/** Cancels, expects the prompt to be answered so, and nothing to come after. Gives the milliseconds that the answer took. */
async function cancelled(editor: AcpEditor, sessionId: string, running: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await editor.cancel(sessionId);
  expect(await running).toMatchObject({ stopReason: "cancelled" });
  const took = performance.now() - started;
  const at = editor.updates.length;
  await editor.agent.request(methods.agent.session.list, {});
  expect(editor.updates.slice(at).map(({ update }) => update.sessionUpdate)).toEqual([]);
  return took;
}

describe("a cancelled prompt", () => {
  test("before its first token is answered, and the next one works", () =>
    soonEnough(async () => {
      const hold = gate();
      await using server = await startModelServer();
      await using stage = new CommandStage();
      stage.configure(config(server.baseUrl));
      server.script(reply([waitAt(hold), say("late")]), reply("fresh"));
      const { editor, sessionId } = await openEditor(stage);
      await using _ = editor;
      const running = editor.prompt(sessionId, "hi");
      await hold.reached;
      const took = await cancelled(editor, sessionId, running);
      expect(await editor.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
      expect(editor.said(sessionId)).toBe("fresh");
      return took;
    }));

  test("in the same breath as it was sent never runs", async () => {
    await using server = await startModelServer({ answer: () => reply("said") });
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const running = editor.prompt(sessionId, "hi");
    void editor.cancel(sessionId);
    expect(await running).toEqual({ stopReason: "cancelled" });
    expect(await editor.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
  });

  test.each(["close", "delete", "archive"])(
    "is one whose session is told to %s while its files are still read",
    async (end) => {
      await using server = await startModelServer({ answer: () => reply("late") });
      await using stage = new CommandStage();
      stage.configure(config(server.baseUrl));
      const { editor, sessionId } = await openEditor(stage);
      await using _ = editor;
      const path = join(stage.workspace, "long.txt");
      writeFileSync(path, "long ".repeat(10_000));
      const link = { type: "resource_link" as const, uri: pathToFileURL(path).href, name: "long.txt" };
      const prompt = [{ type: "text" as const, text: "hi" }, ...Array.from({ length: 20 }, () => link)];
      const running = editor.agent.request(methods.agent.session.prompt, { sessionId, prompt });
      const ended = editor.agent.request(`session/${end}`, { sessionId });
      expect(await running).toEqual({ stopReason: "cancelled" });
      await ended;
      expect(server.requests).toEqual([]);
    },
  );

  test.each(["cancel", "close", "delete", "archive"])(
    "that is a command at work is answered when its session is told to %s",
    async (end) => {
      const hold = gate();
      let hangs = false;
      await using server = await startModelServer({
        answer: () => (hangs ? reply([waitAt(hold), say("late")]) : reply("said")),
      });
      await using stage = new CommandStage();
      stage.configure(config(server.baseUrl));
      const { editor, sessionId } = await openEditor(stage);
      await using _ = editor;
      // So many that there is something to compress.
      for (const text of ["one", "two", "three"]) await editor.prompt(sessionId, text);
      hangs = true;
      const running = editor.prompt(sessionId, "/compress");
      await hold.reached;
      if (end === "cancel") await editor.cancel(sessionId);
      else await editor.agent.request(`session/${end}`, { sessionId });
      expect(await running).toEqual({ stopReason: "cancelled" });
    },
  );

  test("that began as a steering is cancelled right behind it", async () => {
    const hold = gate();
    let hangs = false;
    await using server = await startModelServer({
      answer: () => (hangs ? reply([waitAt(hold), say("late")]) : reply("fresh")),
    });
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    const prompt = [{ type: "text", text: "be brief" }];
    const steering = editor.agent.request("_session/steering", { sessionId, prompt });
    void editor.cancel(sessionId);
    expect(await steering).toEqual({ outcome: "startedNewTurn" });
    expect(await editor.prompt(sessionId, "again")).toEqual(
      expect.objectContaining({ stopReason: "end_turn" }),
    );
    expect(editor.said(sessionId)).toBe("fresh");
    hangs = true;
    expect(await editor.agent.request("_session/steering", { sessionId, prompt })).toEqual({
      outcome: "startedNewTurn",
    });
    await hold.reached;
    hangs = false;
    await editor.cancel(sessionId);
    expect(await editor.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
  });

  test("in a tool leaves none of its processes, however stubborn they are", () =>
    soonEnough(async () => {
      await using server = await startModelServer();
      await using stage = new CommandStage();
      stage.configure(config(server.baseUrl));
      const command = "trap '' TERM INT HUP; (trap '' TERM; sleep 300) & echo ready; sleep 300";
      server.script(reply([callTool("terminal", { command })]), reply("fresh"));
      const { editor, sessionId } = await openEditor(stage);
      await using _ = editor;
      const running = editor.prompt(sessionId, "run it");
      await editor.until(() => JSON.stringify(editor.of(sessionId, "tool_call_update")).includes("ready"));
      const before = processesIn(stage.workspace).length;
      const took = await cancelled(editor, sessionId, running);
      expect(editor.of(sessionId, "tool_call_update").at(-1)).toMatchObject({ status: "failed" });
      expect(before).toBeGreaterThan(2);
      await untilTrue(() => processesIn(stage.workspace).length < before - 1);
      expect(await editor.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
      return took;
    }));

  test("while its permission is not answered needs no answer", () =>
    soonEnough(async () => {
      await using server = await startModelServer();
      await using stage = new CommandStage();
      stage.configure(config(server.baseUrl));
      server.script(reply([callTool("write_file", { path: "a", content: "x" })]), reply("fresh"));
      const { editor, sessionId } = await openEditor(stage, { permit: () => NEVER });
      await using _ = editor;
      const running = editor.prompt(sessionId, "write");
      await editor.until(() => editor.permissions.length === 1);
      const took = await cancelled(editor, sessionId, running);
      expect(editor.of(sessionId, "tool_call_update").at(-1)).toMatchObject({ status: "failed" });
      expect(editor.messages.some(({ method }) => method === "$/cancel_request")).toBe(true);
      expect(await editor.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
      return took;
    }));

  test("may be cancelled by the answer to its permission", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage, { permit: () => CANCELLED });
    await using _ = editor;
    expect(await editor.prompt(sessionId, "run rm x")).toMatchObject({ stopReason: "cancelled" });
    expect(editor.of(sessionId, "tool_call_update")).toMatchObject([{ status: "failed" }]);
  });

  test("in back-off does not wait for the next try", () =>
    soonEnough(async () => {
      await using server = await startModelServer();
      await using stage = new CommandStage();
      stage.configure(config(server.baseUrl));
      server.script({ status: 503, body: "{}" }, reply("fresh"));
      const { editor, sessionId } = await openEditor(stage);
      await using _ = editor;
      const running = editor.prompt(sessionId, "hi");
      await server.request(1);
      const took = await cancelled(editor, sessionId, running);
      expect(await editor.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
      return took;
    }));

  test("takes what is queued behind it with it; twice, or when nothing runs, does no harm", async () => {
    const hold = gate();
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([waitAt(hold)]), reply("fresh"));
    const { editor, sessionId } = await openEditor(stage);
    await using _ = editor;
    await editor.cancel(sessionId);
    const prompts = [editor.prompt(sessionId, "one"), editor.prompt(sessionId, "two")];
    await hold.reached;
    await editor.cancel(sessionId);
    await editor.cancel(sessionId);
    expect(await Promise.all(prompts)).toMatchObject([
      { stopReason: "cancelled" },
      { stopReason: "cancelled" },
    ]);
    await editor.cancel(sessionId);
    expect(await editor.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
    expect(server.requests).toHaveLength(2);
  });
});

test("cancels at any moment end the turn, and only that turn", { timeout: 600_000 }, async () => {
  const next = random(11);
  await using host = await slowHost(next);
  const editor = new AcpEditor(hostWire(host), { permit: () => NEVER });
  await using _ = editor;
  await editor.initialize();
  const sessionId = await editor.open("/work");
  for (let round = 0; round < times(500); round += 1) {
    const running = editor.prompt(sessionId, `prompt ${round}`);
    await aMoment(next);
    await editor.cancel(sessionId);
    const { stopReason } = await running;
    expect(["cancelled", "end_turn"]).toContain(stopReason);
    const after = editor.updates.length;
    expect(await editor.prompt(sessionId, "a control")).toMatchObject({ stopReason: "end_turn" });
    const said = editor.updates
      .slice(after)
      .flatMap(({ update }) => (update.sessionUpdate === "agent_message_chunk" ? [update.content] : []));
    expect(said).toEqual([{ type: "text", text: "ok" }]);
  }
  expect(host.reported).toEqual([]);
});
