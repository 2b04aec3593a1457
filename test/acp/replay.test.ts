import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { random, times } from "../kit/counts.ts";
import { callTool, say, type Step, scriptedModel, think, used } from "../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../kit/test-host.ts";
import { AcpEditor } from "./acp-stage.ts";
import { hostWire } from "./wire.ts";

const pick = <T>(choices: readonly [T, ...T[]], next: () => number): T =>
  choices[Math.floor(next() * choices.length)] ?? choices[0];

/** Replies of one turn: text, thoughts and calls in any order, then a last reply without calls. */
function randomTurn(next: () => number): readonly (readonly Step[])[] {
  const rounds = Array.from({ length: Math.floor(next() * 3) }, () => {
    const calls = Array.from({ length: 1 + Math.floor(next() * 2) }, () =>
      pick([callTool("look", { at: "a" }), callTool("change", { to: "b" }), callTool("break")], next),
    );
    return [...words(next), ...calls];
  });
  return [...rounds, [...words(next), say("The end."), used(10, 5)]];
}

const words = (next: () => number): readonly Step[] =>
  Array.from({ length: Math.floor(next() * 4) }, () =>
    pick([say("some words "), say("\n\nmore"), think("a thought "), say("ünïcode 😀 ")], next),
  );

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

test("a loaded session shows what was shown when it happened, whatever happened", async () => {
  const next = random(7);
  for (let round = 0; round < times(100); round += 1) {
    const model = scriptedModel();
    const tools = toolsOf(
      testTool("look"),
      testTool("change", { effect: "once" }),
      testTool("break", { run: () => Promise.reject(new Error("it broke")) }),
    );
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
    const isSaid = (entry: unknown): boolean => !JSON.stringify(entry).includes("user_message_chunk");
    expect(seen(replayed).filter(isSaid)).toEqual(seen(live));
    expect(seen(replayed).filter((entry) => !isSaid(entry))).toHaveLength(prompts);
  }
});
