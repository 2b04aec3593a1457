import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { random, times } from "../kit/counts.ts";
import { scriptedModel } from "../kit/scripted-model.ts";
import { hostWith } from "../kit/test-host.ts";
import { AcpEditor } from "./acp-stage.ts";
import { pick, randomTurn, tools } from "./random-turn.ts";
import { hostWire } from "./wire.ts";

/** Updates as a person sees them: pieces of one message joined, a call as it stands after its last update. */
function seen(updates: readonly SessionUpdate[]): readonly unknown[] {
  const shown: Record<string, unknown>[] = [];
  for (const update of updates) {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
      case "user_message_chunk": {
        const { sessionUpdate: kind, messageId, content } = update;
        const last = shown.findLast((entry) => entry["messageId"] === messageId && entry["kind"] === kind);
        const text = content.type === "text" ? content.text : JSON.stringify(content);
        if (last === undefined) shown.push({ kind, messageId, text });
        else last["text"] = `${String(last["text"])}${text}`;
        break;
      }
      case "tool_call":
        shown.push({ ...update });
        break;
      case "tool_call_update": {
        const call = shown.findLast((entry) => entry["toolCallId"] === update.toolCallId);
        const { sessionUpdate: _kind, ...change } = update;
        Object.assign(call ?? {}, change);
        break;
      }
      case "plan":
        shown.push({ ...update });
        break;
      default:
    }
  }
  return shown;
}

const isOfUser = (entry: unknown): boolean => /user_message/.test(JSON.stringify(entry));

test("a loaded session shows what was shown when it happened, whatever happened", async () => {
  const next = random(7);
  for (let round = 0; round < times(100); round += 1) {
    const model = scriptedModel();
    await using host = await hostWith(model, { toolsets: tools });
    const editor = new AcpEditor(hostWire(host), {
      permit: ({ options }) => pick(["once", "deny", ...options.map(({ optionId }) => optionId)], next),
    });
    await using _ = editor;
    await editor.initialize();
    const sessionId = await editor.open("/work");
    const prompts = 1 + Math.floor(next() * 3);
    for (let prompt = 0; prompt < prompts; prompt += 1) {
      model.script(...randomTurn(next).map((steps) => [...steps]));
      await editor.prompt(sessionId, `prompt ${prompt}`);
    }
    const live = editor.updates.map(({ update }) => update);
    const from = editor.updates.length;
    await editor.agent.request(methods.agent.session.load, { sessionId, cwd: "/work", mcpServers: [] });
    const replayed = editor.updates.slice(from).map(({ update }) => update);
    expect(seen(replayed).filter((entry) => !isOfUser(entry))).toEqual(seen(live));
    expect(seen(replayed).filter(isOfUser)).toHaveLength(prompts);
  }
});
