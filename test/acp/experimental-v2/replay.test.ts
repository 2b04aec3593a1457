import { expect, test } from "vitest";
import { random, times } from "../../kit/counts.ts";
import { scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith } from "../../kit/test-host.ts";
import type { WireMessage } from "../outgoing.ts";
import { pick, randomTurn, tools } from "../random-turn.ts";
import { hostWire } from "../wire.ts";
import { openV2 } from "./v2-stage.ts";

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
