import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, reply, startModelServer } from "../kit/model-server/index.ts";
import { openEditor } from "./acp-stage.ts";

test("an editor sees what a subagent does on the call that asked for it, is asked in its place, and told of a budget", async () => {
  await using server = await startModelServer();
  await using stage = new CommandStage();
  stage.configure(`model:
  provider: local
  base_url: ${server.baseUrl}
  default: test-model
approvals:
  mode: manual
limits:
  session_tokens: 60
`);
  server.script(
    reply([callTool("delegate", { goal: "make a file" })]),
    reply([callTool("terminal", { command: "touch made.txt" })]),
    reply("made it"),
    reply("all done"),
  );
  const { editor, sessionId } = await openEditor(stage);
  await using _ = editor;
  expect(await editor.prompt(sessionId, "go")).toMatchObject({ stopReason: "end_turn" });
  expect(existsSync(join(stage.workspace, "made.txt"))).toBe(true);
  const [delegated, asked] = editor.of(sessionId, "tool_call");
  expect(delegated).toMatchObject({ title: "Delegate: make a file", kind: "think" });
  expect(asked).toMatchObject({ title: "touch made.txt", status: "pending" });
  const [permission] = editor.permissions;
  expect(permission).toMatchObject({
    sessionId,
    toolCall: { toolCallId: asked?.toolCallId, title: "touch made.txt" },
  });
  expect(JSON.stringify(permission)).toContain("Asked by a subagent: make a file");
  const updates = editor.of(sessionId, "tool_call_update");
  const ends = (id: string | undefined) =>
    updates
      .filter(({ toolCallId }) => toolCallId === id)
      .map(({ status }) => status)
      .at(-1);
  expect([ends(asked?.toolCallId), ends(delegated?.toolCallId)]).toEqual(["completed", "completed"]);
  expect(JSON.stringify(updates)).toContain("made it");
  // Four calls of fifteen tokens each: what the subagent used counts.
  expect(await editor.prompt(sessionId, "more")).toMatchObject({ stopReason: "max_tokens" });
  expect(editor.said(sessionId) + JSON.stringify(editor.updates)).toContain("60 of its 60 tokens");
});
