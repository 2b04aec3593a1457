import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { handClock } from "../../kit/clock.ts";
import { conversationFaults } from "../../kit/conversation-validator.ts";
import { callTool, fail, gate, say, scriptedModel, think, used, wait } from "../../kit/scripted-model.ts";
import { allEvents, hostWith, outline, testTool, toolsOf, until } from "../../kit/test-host.ts";

describe("a turn", () => {
  test("streams, ends once, and is in the log as it was shown", async () => {
    const model = scriptedModel([think("hm"), say("Hel"), say("lo"), used(10, 2)]);
    await using host = await hostWith(model);
    const session = await host.open({ cwd: "/w" });
    const turn = session.submit({ text: "hi" });
    const seen = await Array.fromAsync(turn);
    expect(outline(seen).slice(0, 2)).toEqual(["turn.start", "reasoning.delta hm"]);
    expect(outline(seen).slice(-3)).toEqual([
      "reply.complete",
      "message.complete complete Hello",
      "turn.end completed",
    ]);
    const result = await turn.result;
    expect(result).toMatchObject({
      outcome: "completed",
      text: "Hello",
      usage: { input: 10, output: 2, calls: 1 },
    });
    expect(outline(await allEvents(session))).toEqual([
      "session.start",
      "turn.start",
      "reasoning.delta hm",
      "message.delta Hello",
      "reply.complete",
      "message.complete complete Hello",
      "turn.end completed",
      "title.set",
    ]);
    expect(session.state.title).toBe("hi");
    expect(session.state.turn).toBeUndefined();
  });

  test("runs tools and gives the model their results", async () => {
    const model = scriptedModel([say("Looking."), callTool("look", {}, "c1")], [say("Done.")]);
    await using host = await hostWith(model, { toolsets: toolsOf(testTool("look")) });
    const session = await host.open();
    const { text } = await session.submit({ text: "look" }).result;
    expect(text).toBe("Looking.\n\nDone.");
    expect(model.requests[1]?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", text: "Looking.", calls: [{ id: "c1" }] },
      { role: "tool", results: [{ callId: "c1", content: [{ text: "look ran" }] }] },
    ]);
    expect(outline(await allEvents(session, 1))).toEqual([
      "turn.start",
      "message.delta Looking.",
      "reply.complete",
      "tool.start look",
      "tool.complete look ok",
      "message.delta \n\nDone.",
      "reply.complete",
      "message.complete complete Looking.\n\nDone.",
      "turn.end completed",
      "title.set",
    ]);
  });

  test("a steer sent during a tool call reaches the model before its next reply", async () => {
    const running = gate();
    const slow = testTool("slow", {
      run: async () => {
        running.arrive();
        await running.opened;
        return "slow ran";
      },
    });
    const model = scriptedModel([callTool("slow")], [say("noted")]);
    await using host = await hostWith(model, { toolsets: toolsOf(slow) });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    await running.reached;
    expect(await session.steer("be brief")).toBe(true);
    running.open();
    await turn.result;
    expect(model.seen.at(-1)).toEqual(["start", "be brief"]);
  });

  test("a second prompt is queued and runs after the first, in acceptance order", async () => {
    const first = gate();
    const model = scriptedModel([wait(first), say("one")], [say("two")], [say("three")]);
    await using host = await hostWith(model);
    const session = await host.open();
    const turns = ["a", "b", "c"].map((text) => session.submit({ text }));
    expect((await turns[1]?.accepted)?.status).toBe("queued");
    first.open();
    const texts = await Promise.all(turns.map(async ({ result }) => (await result).text));
    expect(texts).toEqual(["one", "two", "three"]);
    expect(model.seen).toEqual([["a"], ["a", "b"], ["a", "b", "c"]]);
  });

  test("refuses a second prompt when told to, naming the running turn", async () => {
    const hold = gate();
    await using host = await hostWith(scriptedModel([wait(hold)]));
    const session = await host.open();
    const { turnId } = await session.submit({ text: "a" }).accepted;
    const refused = session.submit({ text: "b", mode: "refuse" });
    await expect(refused.accepted).rejects.toMatchObject({
      code: "session_busy",
      details: { subject: turnId },
    });
    hold.open();
  });

  test("an interrupt at a terminal takes back what was queued at any terminal, and leaves what came from elsewhere", async () => {
    const hold = gate();
    await using host = await hostWith(scriptedModel([wait(hold)], [say("next")]));
    const session = await host.open();
    const gone = { surface: "gateway", client: "tui-1" };
    const turn = session.submit({ text: "a", from: gone, attended: true });
    const left = session.submit({ text: "left behind", from: gone, attended: true });
    const chat = session.submit({ text: "chat", from: { surface: "chat", client: "telegram:1" } });
    await Promise.all([left.accepted, chat.accepted, hold.reached]);
    const from = { surface: "gateway", client: "tui-2" };
    expect(await session.interrupt({ from, attended: true })).toMatchObject({ dropped: ["left behind"] });
    expect(await turn.result).toMatchObject({ outcome: "cancelled" });
    expect(await left.result).toMatchObject({ outcome: "cancelled" });
    expect(await chat.result).toMatchObject({ outcome: "completed", text: "next" });
  });

  test("an interrupt ends it as cancelled, keeps what was shown and takes back what the same client queued", async () => {
    const hold = gate();
    const model = scriptedModel([say("partial"), wait(hold)], [say("next")], [say("later")]);
    await using host = await hostWith(model);
    const session = await host.open();
    const turn = session.submit({ text: "a", from: { surface: "tui", client: "1" } });
    const mine = session.submit({ text: "mine", from: { surface: "tui", client: "1" } });
    const other = session.submit({ text: "other", from: { surface: "tui", client: "2" } });
    await Promise.all([mine.accepted, other.accepted, hold.reached]);
    expect(await session.interrupt({ from: { surface: "tui", client: "1" } })).toMatchObject({
      interrupted: true,
      dropped: ["mine"],
    });
    expect(await turn.result).toMatchObject({ outcome: "cancelled", text: "partial" });
    expect(await mine.result).toMatchObject({ outcome: "cancelled" });
    expect(await other.result).toMatchObject({ outcome: "completed", text: "next" });
    expect(conversationFaults(model.requests[1]?.messages ?? [])).toEqual([]);
    expect(await session.interrupt()).toEqual({ interrupted: false, dropped: [] });
    expect(await session.submit({ text: "again" }).result).toMatchObject({
      outcome: "completed",
      text: "later",
    });
  });

  test("an interrupt is over within a second even when a tool does not react", async () => {
    const clock = handClock();
    const stuck = gate();
    const tool = testTool("stuck", {
      run: () => {
        stuck.arrive();
        return new Promise(() => undefined);
      },
    });
    await using host = await hostWith(scriptedModel([callTool("stuck")], [say("fine")]), {
      clock,
      toolsets: toolsOf(tool),
    });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    await stuck.reached;
    await session.interrupt();
    clock.advance(1000);
    expect(await turn.result).toMatchObject({ outcome: "cancelled" });
    expect(outline(await allEvents(session)).filter((line) => line.startsWith("tool"))).toEqual([
      "tool.start stuck",
      "tool.complete stuck cancelled",
    ]);
    expect(await session.submit({ text: "next" }).result).toMatchObject({ text: "fine" });
  });

  test("aborting the signal of a submission interrupts its turn", async () => {
    const hold = gate();
    await using host = await hostWith(scriptedModel([say("x"), wait(hold)]));
    const session = await host.open();
    const stop = new AbortController();
    const turn = session.submit({ text: "a", signal: stop.signal });
    await hold.reached;
    stop.abort();
    expect(await turn.result).toMatchObject({ outcome: "cancelled" });
  });

  test("a failed model call that said nothing is tried again after the time that the provider asked for", async () => {
    const clock = handClock();
    const slow = new HostError("provider_rate_limit", "slow down", { details: { retryAfterMs: 7000 } });
    const model = scriptedModel([fail(slow)], [say("here")]);
    await using host = await hostWith(model, { clock });
    const session = await host.open();
    const turn = session.submit({ text: "a" });
    const retry = await until(turn, "model.retry");
    expect(retry).toMatchObject({ attempt: 1, error: { code: "provider_rate_limit" } });
    expect(retry.until - clock.now()).toBe(7000);
    clock.advance(7000);
    expect(await turn.result).toMatchObject({ outcome: "completed", text: "here" });
    expect(model.requests).toHaveLength(2);
  });

  test("a failed model call is not repeated once text was shown, and not for errors that repeating cannot mend", async () => {
    const model = scriptedModel(
      [say("half"), fail(new HostError("provider_network", "reset"))],
      [fail(new HostError("provider_auth", "wrong key"))],
    );
    await using host = await hostWith(model);
    const session = await host.open();
    expect(await session.submit({ text: "a" }).result).toMatchObject({
      outcome: "failed",
      text: "half",
      error: { code: "provider_network" },
    });
    expect(await session.submit({ text: "b" }).result).toMatchObject({
      outcome: "failed",
      error: { code: "provider_auth" },
    });
    expect(model.requests).toHaveLength(2);
  });

  test("ends when its model calls are used up", async () => {
    const policy = { ...DEFAULT_POLICY, limits: { ...DEFAULT_POLICY.limits, iterations: 3 } };
    const model = scriptedModel([callTool("look")], [callTool("look")], [callTool("look")], [say("never")]);
    await using host = await hostWith(model, { policy, toolsets: toolsOf(testTool("look")) });
    const session = await host.open();
    expect(await session.submit({ text: "a" }).result).toMatchObject({
      outcome: "failed",
      error: { code: "limit_exceeded" },
    });
    expect(model.requests).toHaveLength(3);
  });

  test("a call to an unknown tool, or with no JSON, is answered and not fatal", async () => {
    const model = scriptedModel(
      [callTool("nope"), { type: "call.end", id: "b", name: "look", arguments: "{not json" }],
      [say("ok")],
    );
    await using host = await hostWith(model, { toolsets: toolsOf(testTool("look")) });
    const session = await host.open();
    expect(await session.submit({ text: "a" }).result).toMatchObject({ outcome: "completed", text: "ok" });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      results: [{ isError: true }, { isError: true }],
    });
  });
});
