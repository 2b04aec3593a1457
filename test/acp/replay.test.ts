import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { random, times } from "../kit/counts.ts";
import { callTool, say, type Step, scriptedModel, think, used } from "../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../kit/test-host.ts";
import { AcpEditor } from "./acp-stage.ts";
import type { WireMessage } from "./outgoing.ts";
import { openV2 } from "./experimental-v2/v2-stage.ts";
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

const tools = toolsOf(
  testTool("look"),
  testTool("change", { effect: "once" }),
  testTool("break", { run: () => Promise.reject(new Error("it broke")) }),
);

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

/** Updates of version 2 as a person sees them: each thing as it stands after its last update. */
function seenV2(messages: readonly WireMessage[]): readonly unknown[] {
  const shown = new Map<string, Record<string, unknown>>();
  for (const { params } of messages) {
    const { update } = (params ?? {}) as { update?: Record<string, unknown> & { sessionUpdate: string } };
    if (update === undefined || /^(state|usage|session_info|config|available)/.test(update.sessionUpdate))
      continue;
    const { sessionUpdate: kind, messageId, toolCallId, terminalId, content, data, ...more } = update;
    const id = `${kind.replace("_chunk", "").replace("_output", "_update")} ${String(messageId ?? toolCallId ?? terminalId)}`;
    const entry = shown.get(id) ?? { id, text: "" };
    shown.set(id, entry);
    if (typeof data === "string")
      entry["text"] = `${String(entry["text"])}${Buffer.from(data, "base64").toString()}`;
    else if (kind.endsWith("message_chunk") || kind.endsWith("thought_chunk"))
      entry["text"] = `${String(entry["text"])}${(content as { text: string }).text}`;
    else Object.assign(entry, more, content === undefined ? {} : { content });
  }
  return [...shown.values()];
}

test("a session that version 2 resumes from its start shows what was shown, the user's own words included", async () => {
  const next = random(11);
  for (let round = 0; round < times(50); round += 1) {
    const model = scriptedModel();
    await using host = await hostWith(model, { toolsets: tools });
    const { editor, sessionId } = await openV2(hostWire(host), {
      permit: ({ options }) => pick(["deny", ...options.map(({ optionId }) => optionId)], next),
    });
    await using _ = editor;
    const prompts = 1 + Math.floor(next() * 3);
    for (let prompt = 0; prompt < prompts; prompt += 1) {
      model.script(...randomTurn(next).map((steps) => [...steps]));
      await editor.run(sessionId, `prompt ${prompt}`);
    }
    const from = editor.messages.length;
    const replayFrom = { type: "start" } as const;
    await editor.agent.request("session/resume", { sessionId, cwd: "/work", replayFrom });
    expect(seenV2(editor.messages.slice(from))).toEqual(seenV2(editor.messages.slice(0, from)));
  }
});
