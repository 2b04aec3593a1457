import { expect, test } from "vitest";
import { type Host, promptText, type Session } from "../../../src/core/index.ts";
import { delegateTool } from "../../../src/providers/tools/delegate.ts";
import { conversationFaults } from "../../kit/conversation-validator.ts";
import { random, times } from "../../kit/counts.ts";
import { callTool, say, type ScriptedModel, scriptedModelWith, used } from "../../kit/scripted-model.ts";
import { allEvents, hostWith, testTool, toolsOf } from "../../kit/test-host.ts";

const dice = random(7);
const below = (count: number): number => Math.floor(dice() * count);

/** A model whose people's sessions delegate, and whose subagents do this and that for a while. */
function restless(): ScriptedModel {
  return scriptedModelWith({
    otherwise({ messages }) {
      const [first] = messages;
      const isParent = first?.role === "user" && promptText(first.parts).startsWith("go");
      if (isParent && messages.length === 1)
        return [
          used(1, 1),
          callTool("delegate", {
            tasks: Array.from({ length: 1 + below(4) }, (_, n) => ({ goal: `t${n}` })),
          }),
        ];
      if (isParent) return [used(1, 1), say("end")];
      const step = below(4);
      if (step === 0) return [used(1, 1), say("done")];
      return [used(1, 1), callTool(step === 1 ? "change" : "look")];
    },
  });
}

async function ticks(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Answers, interrupts and stops subagents, at random, until the turn is over. */
async function meddle(host: Host, session: Session, over: () => boolean): Promise<void> {
  while (!over()) {
    await ticks(1 + below(12));
    const [active] = host.subagents.active().filter(({ parentSessionId }) => parentSessionId === session.id);
    const open = session.questions()[below(2)];
    const dire = below(12);
    if (dire === 0) await session.interrupt();
    else if (dire === 1 && active !== undefined) host.subagents.interrupt(active.subagentId);
    else if (open !== undefined)
      // It may be over by now.
      await session
        .answer(open.request.requestId, { choice: below(3) === 0 ? "deny" : "once" })
        .catch(() => undefined);
  }
}

test("whatever is answered, stopped or interrupted, and when, nothing is left behind and everything is counted", async () => {
  const toolsets = toolsOf(
    delegateTool({ stopProcesses: () => Promise.resolve(0) }),
    testTool("look"),
    testTool("change", { effect: "once" }),
  );
  for (let round = 0; round < times(100); round += 1) {
    const model = restless();
    await using host = await hostWith(model, { toolsets });
    const sessions = await Promise.all([host.open(), host.open()]);
    await Promise.all(
      sessions.map(async (session) => {
        const turn = session.submit({ text: "go" });
        let isOver = false;
        const result = turn.result.finally(() => (isOver = true));
        await meddle(host, session, () => isOver);
        await result;
      }),
    );
    await host.subagents.idle();
    expect(host.subagents.active()).toEqual([]);
    for (const session of sessions) {
      expect(session.state).toMatchObject({ subagents: [], questions: [] });
      expect(session.state.turn).toBeUndefined();
      const events = await allEvents(session);
      const started = events.filter(({ type }) => type === "subagent.start");
      expect(events.filter(({ type }) => type === "subagent.complete")).toHaveLength(started.length);
      const own = events.reduce(
        (sum, event) => (event.type === "reply.complete" ? sum + event.usage.calls : sum),
        0,
      );
      let calls = own;
      for (const event of started) {
        if (event.type !== "subagent.start") continue;
        const child = await host.session(event.childId);
        expect(child.state.turn).toBeUndefined();
        expect(child.state.questions).toEqual([]);
        calls += child.state.usage.calls;
      }
      expect(session.state.usage.calls).toBe(calls);
    }
    for (const { messages } of model.requests) expect(conversationFaults(messages)).toEqual([]);
    expect(host.reported).toEqual([]);
  }
});
