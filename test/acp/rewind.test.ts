import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, reply, startModelServer } from "../kit/model-server/index.ts";
import { openEditor } from "./acp-stage.ts";

test("an editor lists the turns, forks before one, and goes back with files and conversation", async () => {
  await using server = await startModelServer();
  await using stage = new CommandStage();
  stage.configure(
    `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\napprovals:\n  mode: "off"\n`,
  );
  const [a, b] = ["a.txt", "b.txt"].map((name) => join(stage.workspace, name));
  writeFileSync(a ?? "", "old\n");
  server.script(
    reply([callTool("write_file", { path: "a.txt", content: "new\n" })]),
    reply("done"),
    reply([callTool("terminal", { command: "echo made > b.txt" })]),
    reply("done"),
  );
  const { editor, sessionId } = await openEditor(stage);
  await using _ = editor;
  await editor.prompt(sessionId, "change a");
  await editor.prompt(sessionId, "make b");
  const listed = await editor.agent.request("_session/checkpoints", { sessionId });
  expect(listed).toMatchObject({
    checkpoints: [
      { number: 1, text: "change a", files: { files: [{ path: a, change: "changed" }] } },
      { number: 2, text: "make b", files: { files: [{ path: b, change: "added" }] } },
    ],
  });
  expect(await editor.agent.request("_session/checkpoints", { sessionId, turn: 1 })).toMatchObject({
    diff: expect.stringContaining("-old\n+new") as string,
  });
  const fork = await editor.agent.request(methods.agent.session.fork, {
    sessionId,
    cwd: stage.workspace,
    mcpServers: [],
    _meta: { rewind: { before: 2 } },
  });
  const { sessionId: forked } = fork;
  expect(await editor.agent.request("_session/checkpoints", { sessionId: forked })).toMatchObject({
    checkpoints: [{ text: "change a" }],
  });
  expect(await editor.agent.request("_session/rewind", { sessionId, turn: 1, scope: "both" })).toMatchObject({
    turns: 2,
    files: { restored: [a, b], conflicts: [] },
  });
  expect(readFileSync(a ?? "", "utf8")).toBe("old\n");
  expect(existsSync(b ?? "")).toBe(false);
});
