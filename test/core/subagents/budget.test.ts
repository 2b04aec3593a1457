import { describe, expect, test } from "vitest";
import {
  type SlashCommandResult,
  DEFAULT_POLICY,
  type HostOptions,
  type Policy,
  promptText,
  type Session,
  SlashCommands,
  statusOf,
} from "../../../src/core/index.ts";
import { delegateTool } from "../../../src/providers/tools/delegate.ts";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { handClock } from "../../kit/clock.ts";
import {
  callTool,
  gate,
  say,
  scriptedModel,
  scriptedModelWith,
  used,
  wait,
} from "../../kit/scripted-model.ts";
import { allEvents, hostWith, type TestHost, testTool, toolsOf, untilTrue } from "../../kit/test-host.ts";

const policyWith = (limits: Partial<Policy["limits"]>): Policy => ({
  ...DEFAULT_POLICY,
  limits: { ...DEFAULT_POLICY.limits, ...limits },
});

const limited: Partial<HostOptions> = {
  policy: policyWith({ sessionTokens: 100 }),
  toolsets: toolsOf(testTool("look")),
};

const typed = (host: TestHost, session: Session, text: string): Promise<SlashCommandResult> =>
  new SlashCommands().dispatch(text, {
    host,
    session,
    from: { surface: "test" },
    workspace: { cwd: "/w", roots: ["/w"] },
    signal: new AbortController().signal,
    stopProcesses: async () => 0,
  });

describe("a session that used up its budget", () => {
  test("stops between two steps, says why for as long as it waits, and goes on where it stopped", async () => {
    const model = scriptedModel([say("I look."), callTool("look"), used(90, 20)], [say("Found it.")]);
    const store = memoryStore();
    let id: string;
    {
      await using host = await hostWith(model, { ...limited, store });
      const session = await host.open();
      ({ id } = session);
      const { outcome, error, text } = await session.submit({ text: "find it" }).result;
      expect({ outcome, text }).toEqual({ outcome: "failed", text: "I look." });
      expect(error).toMatchObject({ code: "budget_exceeded", details: { subject: "limits.session_tokens" } });
      expect(error?.message).toContain("110 of its 100 tokens");
      expect(error?.message).toContain("/budget 200");
    }
    await using host = await hostWith(model, { ...limited, store });
    const session = await host.session(id);
    expect(statusOf(session.state, undefined)).toMatchObject({ status: "waiting", cause: "budget" });
    expect(await typed(host, session, "/budget")).toEqual({
      type: "done",
      output: "Tokens  110 of 100\nCost    $0.00, no limit",
    });
    expect(await typed(host, session, "/budget 105")).toMatchObject({ type: "done" });
    const outcome = await typed(host, session, "/budget 1k");
    expect(outcome).toMatchObject({ type: "send", message: "Go on where you stopped." });
    const text = outcome.type === "send" ? outcome.message : "";
    expect(await session.submit({ text }).result).toMatchObject({ outcome: "completed", text: "Found it." });
    expect(session.state.parked).toBeUndefined();
    expect(statusOf(session.state, undefined)).toEqual({ status: "idle" });
    // What the tool gave before is in the request that goes on.
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("look ran");
  });

  test("keeps what is queued, and runs it once there is a budget again", async () => {
    const held = gate();
    const model = scriptedModel(
      [callTool("look"), used(200, 0), wait(held)],
      [say("first")],
      [say("second")],
    );
    await using host = await hostWith(model, limited);
    const session = await host.open();
    const first = session.submit({ text: "one" });
    await held.reached;
    const queued = session.submit({ text: "two" });
    await queued.accepted;
    held.open();
    expect((await first.result).outcome).toBe("failed");
    expect(session.state.queue).toMatchObject([{ held: true }]);
    expect((await allEvents(session)).filter(({ type }) => type === "turn.start")).toHaveLength(1);
    expect(await typed(host, session, "/budget off")).toMatchObject({
      type: "done",
      output: expect.stringContaining("Going on with what was queued."),
    });
    expect(await queued.result).toMatchObject({ outcome: "completed", text: "first" });
  });

  test("takes a limit of money, its own back again, and no nonsense", async () => {
    const model = scriptedModel([say("one"), used(10, 0)]);
    await using host = await hostWith({ ...model, price: () => 0.5 }, limited);
    const session = await host.open({ settings: { budget: { cost: 0.25 } } });
    await session.submit({ text: "go" }).result;
    expect((await session.submit({ text: "go" }).result).error?.message).toContain("$0.50 of its $0.25");
    expect(await typed(host, session, "/budget $1.50")).toMatchObject({ type: "send" });
    expect(session.state.settings.budget).toEqual({ cost: 1.5 });
    expect(await typed(host, session, "/budget 2,000")).toMatchObject({
      notice: "Tokens  10 of 2,000\nCost    $0.50 of $1.50",
    });
    await typed(host, session, "/budget default");
    expect(session.state.settings.budget).toBeUndefined();
    for (const text of ["/budget much", "/budget -5", "/budget $", "/budget 1.5", "/budget $5k"])
      await expect(typed(host, session, text)).rejects.toMatchObject({ code: "command_usage" });
  });

  test("counts what its subagents and background prompts use, also while they run", async () => {
    const delegate = delegateTool({ stopProcesses: () => Promise.resolve(0) });
    const model = scriptedModel(
      [callTool("delegate", { goal: "spend" })],
      [callTool("look"), used(60, 0)],
      [callTool("look"), used(60, 0)],
    );
    const toolsets = toolsOf(testTool("look"), delegate);
    await using host = await hostWith(model, { ...limited, toolsets });
    const session = await host.open();
    const { error } = await session.submit({ text: "go" }).result;
    expect(error?.code).toBe("budget_exceeded");
    expect(model.requests).toHaveLength(3);
    expect(session.state.usage).toMatchObject({ calls: 3, input: 120 });
    const [told] = (await allEvents(session)).filter((event) => event.type === "subagent.complete");
    expect(told).toMatchObject({ status: "failed", error: { code: "budget_exceeded" } });

    await session.set({ budget: { tokens: 1000 } });
    model.script([say("aside"), used(500, 0)]);
    await host.background(session.id, "do something else", { surface: "test" });
    await host.subagents.idle();
    expect(session.state.usage.input).toBe(620);
  });

  test("goes over by about one call, however many subagents call at once", async () => {
    const delegate = delegateTool({ stopProcesses: () => Promise.resolve(0) });
    const model = scriptedModelWith({
      otherwise: ({ messages }) => {
        const [first] = messages;
        const isParent = first?.role === "user" && promptText(first.parts) === "go";
        if (!isParent) return [callTool("look"), used(40, 10)];
        return [
          callTool("delegate", { tasks: Array.from({ length: 8 }, (_, n) => ({ goal: `t${n}` })) }),
          used(40, 10),
        ];
      },
    });
    const policy: Policy = {
      ...policyWith({ sessionTokens: 1000 }),
      delegation: { ...DEFAULT_POLICY.delegation, maxChildren: 8 },
    };
    await using host = await hostWith(model, { policy, toolsets: toolsOf(testTool("look"), delegate) });
    const session = await host.open();
    expect((await session.submit({ text: "go" }).result).error?.code).toBe("budget_exceeded");
    const { input, output } = session.state.usage;
    expect(input + output).toBeGreaterThanOrEqual(1000);
    expect(input + output).toBeLessThanOrEqual(1050);
  });

  test("lets a subagent wait for the call of another one near its end, without a timer", async () => {
    const clock = handClock();
    const begin = clock.monotonic();
    const delegate = delegateTool({ stopProcesses: () => Promise.resolve(0) });
    const held = gate();
    const model = scriptedModelWith({
      otherwise: ({ messages }) => {
        const [first] = messages;
        const text = first?.role === "user" ? promptText(first.parts) : "";
        // Whichever of the two is first; the other one must not get here.
        if (text !== "go") return [wait(held), used(40, 10), say("done")];
        return [callTool("delegate", { tasks: [{ goal: "one" }, { goal: "two" }] }), used(60, 0)];
      },
    });
    const toolsets = toolsOf(delegate);
    await using host = await hostWith(model, { ...limited, toolsets, clock });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    await held.reached;
    await untilTrue(() => host.subagents.active().length === 2);
    const timers = clock.pending().map((timer) => timer.in);
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(model.requests).toHaveLength(2);
    expect(Math.min(...timers)).toBeGreaterThan(100);
    held.open();
    expect((await turn.result).error?.code).toBe("budget_exceeded");
    // The one that waited was told that there is nothing left.
    expect(model.requests).toHaveLength(2);
    expect(session.state.usage.input + session.state.usage.output).toBe(110);
    expect(clock.monotonic()).toBe(begin);
  });
});
