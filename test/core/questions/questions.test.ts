import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY, type Policy, type ToolAnswer } from "../../../src/core/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { handClock } from "../../kit/clock.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { allEvents, hostWith, outline, testTool, toolsOf, until, untilTrue } from "../../kit/test-host.ts";

const policyWith = (mode: Policy["approvals"]["mode"]): Policy => ({
  ...DEFAULT_POLICY,
  approvals: { ...DEFAULT_POLICY.approvals, mode },
});

describe("approvals", () => {
  test("a change asks before it runs, and runs once when it is allowed", async () => {
    let runs = 0;
    const change = testTool("change", { effect: "once", run: async () => `run ${(runs += 1)}` });
    const model = scriptedModel([callTool("change", { a: 1 })], [say("done")]);
    await using host = await hostWith(model, { toolsets: toolsOf(change) });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    const request = await until(turn, "approval.request");
    expect(request).toMatchObject({
      toolName: "change",
      choices: ["once", "session", "always", "deny"],
      timeoutMs: DEFAULT_POLICY.approvals.timeoutMs,
    });
    expect(runs).toBe(0);
    expect(session.questions().map(({ request: { requestId } }) => requestId)).toEqual([request.requestId]);
    await session.answer(request.requestId, { choice: "once" }, { surface: "tui" });
    expect(await turn.result).toMatchObject({ outcome: "completed", text: "done" });
    expect(runs).toBe(1);
    expect(outline(await allEvents(session, 1))).toEqual([
      "turn.start",
      "reply.complete",
      "tool.start change",
      "approval.request",
      "approval.resolved answered",
      "tool.complete change ok",
      "message.delta done",
      "reply.complete",
      "message.complete complete done",
      "turn.end completed",
      "title.set",
    ]);
  });

  test("a call takes the time that it runs, not the time until it is allowed or denied", async () => {
    const clock = handClock();
    const change = testTool("change", {
      effect: "once",
      run: async () => {
        clock.advance(250);
        return "changed";
      },
    });
    const model = scriptedModel([callTool("change")], [callTool("change")], [say("done")]);
    await using host = await hostWith(model, { toolsets: toolsOf(change), clock });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    for (const choice of ["once", "deny"] as const) {
      await untilTrue(() => session.questions().length > 0);
      clock.advance(100_000);
      await session.answer(session.questions()[0]?.request.requestId ?? "", { choice });
      await untilTrue(() => session.questions().length === 0);
    }
    await turn.result;
    const ends = (await allEvents(session, 1)).filter(({ type }) => type === "tool.complete");
    expect(ends).toMatchObject([
      { outcome: "ok", durationMs: 250 },
      { outcome: "denied", durationMs: 0 },
    ]);
  });

  test("a denial is told to the model and the turn goes on", async () => {
    const model = scriptedModel([callTool("change")], [say("understood")]);
    await using host = await hostWith(model, { toolsets: toolsOf(testTool("change", { effect: "once" })) });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    const { requestId } = await until(turn, "approval.request");
    await session.answer(requestId, { choice: "deny", text: "not on a Friday" });
    expect((await turn.result).text).toBe("understood");
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("They said: not on a Friday");
  });

  test("the first valid answer counts; a later one is told who answered, an invalid one changes nothing", async () => {
    const model = scriptedModel([callTool("change")]);
    await using host = await hostWith(model, { toolsets: toolsOf(testTool("change", { effect: "once" })) });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    const { requestId } = await until(turn, "approval.request");
    await expect(session.answer(requestId, { text: "yes" })).rejects.toMatchObject({
      code: "answer_invalid",
    });
    await session.answer(requestId, { choice: "once" }, { surface: "acp" });
    await expect(session.answer(requestId, { choice: "deny" })).rejects.toMatchObject({
      code: "question_not_pending",
      message: expect.stringContaining("answered from an editor"),
    });
    await expect(session.answer("req_none", { choice: "deny" })).rejects.toMatchObject({
      code: "question_not_pending",
    });
    await turn.result;
  });

  test("`session` covers the same pattern for the rest of the session, `always` is kept by the owner", async () => {
    const kept: string[] = [];
    const model = scriptedModel(
      [callTool("change")],
      [callTool("change")],
      [say("1")],
      [callTool("change")],
      [say("2")],
    );
    await using host = await hostWith(model, {
      toolsets: toolsOf(testTool("change", { effect: "once" })),
      rememberPatterns: async (patterns) => void kept.push(...patterns),
    });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    const { requestId } = await until(turn, "approval.request");
    await session.answer(requestId, { choice: "always" });
    expect((await turn.result).text).toBe("1");
    expect((await session.submit({ text: "again" }).result).text).toBe("2");
    expect(kept).toEqual(["tool:change"]);
    expect((await allEvents(session)).filter(({ type }) => type === "approval.request")).toHaveLength(1);
  });

  test("nothing asks when approvals are off, by policy or for the session", async () => {
    const model = scriptedModel([callTool("change")], [say("1")]);
    await using host = await hostWith(model, {
      policy: policyWith("off"),
      toolsets: toolsOf(testTool("change", { effect: "once" })),
    });
    expect((await (await host.open()).submit({ text: "go" }).result).text).toBe("1");
    model.script([callTool("change")], [say("2")]);
    await using strict = await hostWith(model, { toolsets: toolsOf(testTool("change", { effect: "once" })) });
    const session = await strict.open();
    await session.set({ yolo: true });
    expect((await session.submit({ text: "go" }).result).text).toBe("2");
  });

  test("where nobody can answer, the call is refused at once with that reason", async () => {
    const model = scriptedModel([callTool("change")], [say("ok")]);
    await using host = await hostWith(model, { toolsets: toolsOf(testTool("change", { effect: "once" })) });
    const session = await host.open();
    const questions = { mode: "refuse", reason: "this is a webhook" } as const;
    await session.submit({ text: "go", questions }).result;
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("this is a webhook");
    expect((await allEvents(session)).map(({ type }) => type)).not.toContain("approval.request");
  });

  test.for(["events", "pages"] as const)(
    "a time-out starts when somebody has seen the question among the %s, and is told to the model",
    async (way) => {
      const clock = handClock();
      const model = scriptedModel([callTool("change")], [say("fine")]);
      await using host = await hostWith(model, {
        clock,
        toolsets: toolsOf(testTool("change", { effect: "once" })),
      });
      const session = await host.open();
      const turn = session.submit({ text: "go" });
      if (way === "events") await until(session.events({ live: false }), "approval.request");
      else {
        await untilTrue(() => session.state.questions.length > 0);
        await Array.fromAsync(session.pages());
      }
      clock.advance(DEFAULT_POLICY.approvals.timeoutMs - 1000);
      expect(session.state.questions).toHaveLength(1);
      clock.advance(1000);
      expect((await turn.result).text).toBe("fine");
      expect(outline(await allEvents(session))).toContain("approval.resolved expired");
      expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("nobody answered");
    },
  );

  test("a question that nobody sees gets ten minutes more", async () => {
    const clock = handClock();
    const model = scriptedModel([callTool("change")], [say("fine")]);
    await using host = await hostWith(model, {
      clock,
      toolsets: toolsOf(testTool("change", { effect: "once" })),
    });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    await untilTrue(() => session.state.questions.length > 0);
    const { approvals, questions } = DEFAULT_POLICY;
    clock.advance(approvals.timeoutMs + questions.unseenMs - 1000);
    expect(session.state.questions).toHaveLength(1);
    clock.advance(1000);
    expect((await turn.result).text).toBe("fine");
  });

  test("an interrupt settles an open question and its call", async () => {
    await using host = await hostWith(scriptedModel([callTool("change")]), {
      toolsets: toolsOf(testTool("change", { effect: "once" })),
    });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    await until(turn, "approval.request");
    await session.interrupt();
    expect(await turn.result).toMatchObject({ outcome: "cancelled" });
    expect(session.state.questions).toEqual([]);
    const lines = outline(await allEvents(session));
    expect(lines.filter((line) => line === "approval.resolved cancelled")).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("tool.complete"))).toHaveLength(1);
  });
});

describe("other questions", () => {
  test("a clarification brings the text to the tool", async () => {
    const heard: ToolAnswer[] = [];
    const ask = askingTool({ kind: "clarify", question: "Which?", choices: ["a", "b"] }, heard);
    await using host = await hostWith(scriptedModel([callTool("ask")], [say("k")]), {
      toolsets: toolsOf(ask),
    });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    const request = await until(turn, "clarify.request");
    expect(request).toMatchObject({ question: "Which?", choices: ["a", "b"], beforeEffect: true });
    await session.answer(request.requestId, { text: "b" });
    await turn.result;
    expect(heard).toEqual([{ outcome: "answered", text: "b" }]);
  });

  test("a secret reaches the tool and nothing else", async () => {
    const heard: ToolAnswer[] = [];
    const ask = askingTool({ kind: "secret", envVar: "TOKEN", prompt: "Token?" }, heard);
    const model = scriptedModel([callTool("ask")], [say("k")]);
    await using host = await hostWith(model, { toolsets: toolsOf(ask) });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    const { requestId } = await until(turn, "secret.request");
    await session.answer(requestId, { text: "hunter2-canary" });
    await turn.result;
    expect(heard).toEqual([{ outcome: "answered", text: "hunter2-canary" }]);
    expect(JSON.stringify([await allEvents(session), model.requests, session.state])).not.toContain(
      "hunter2-canary",
    );
  });
});

describe("questions that cannot be shown", () => {
  test("a kind that the client cannot show is refused at once, with its reason; approvals are still asked", async () => {
    const heard: ToolAnswer[] = [];
    const ask = askingTool({ kind: "clarify", question: "which?", choices: [] }, heard);
    const model = scriptedModel([callTool("ask")], [callTool("change")], [say("done")]);
    await using host = await hostWith(model, {
      toolsets: toolsOf(ask, testTool("change", { effect: "once" })),
    });
    const session = await host.open();
    const refuse = { clarify: "this editor cannot show questions" };
    const turn = session.submit({ text: "go", questions: { mode: "ask", refuse } });
    const { requestId } = await until(turn, "approval.request");
    expect(heard).toEqual([{ outcome: "refused", reason: "this editor cannot show questions" }]);
    await session.answer(requestId, { choice: "once" });
    expect((await turn.result).outcome).toBe("completed");
  });

  test("a question can be declined, and the tool is told", async () => {
    const heard: ToolAnswer[] = [];
    const ask = askingTool({ kind: "clarify", question: "which?", choices: [] }, heard);
    await using host = await hostWith(scriptedModel([callTool("ask")], [say("done")]), {
      toolsets: toolsOf(ask),
    });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    const { requestId } = await until(turn, "clarify.request");
    await session.answer(requestId, { declined: true });
    await turn.result;
    expect(heard).toEqual([{ outcome: "refused", reason: "the user declined to answer" }]);
  });

  test("a call that will ask first says so when it starts", async () => {
    const model = scriptedModel([callTool("change")], [callTool("look")], [say("done")]);
    const change = testTool("change", { effect: "once" });
    await using host = await hostWith(model, { toolsets: toolsOf(change, testTool("look")) });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    const { requestId } = await until(turn, "approval.request");
    await session.answer(requestId, { choice: "once" });
    await turn.result;
    const starts = (await allEvents(session)).filter((event) => event.type === "tool.start");
    expect(starts.map(({ asks }) => asks)).toEqual([true, undefined]);
  });
});
